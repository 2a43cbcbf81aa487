//! Reads the recordings to which exchanges are added.

use std::path::Path;

use crate::{
    base::{diagnostics::Diagnostic, files},
    provider::scripted::{
        Rules,
        recordings::{MAX_MIB, Recording, file_name},
    },
};

/// Reads the file of a recording. Returns `None` if there is none.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, Vec<Diagnostic>> {
    // A link that leads nowhere is an error.
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    files::read_large(path, MAX_MIB).map(Some).map_err(|error| vec![error])
}

/// Reads the recording of a component, and its rules. Returns `None` if there is none.
///
/// # Errors
///
/// Fails if the file cannot be read, or with all errors in it.
pub(crate) fn read_recording(
    folder: &Path,
    component: &str,
) -> Result<Option<(Recording, Rules)>, Vec<Diagnostic>> {
    let path = folder.join(file_name(component));
    read_text(&path)?.map(|text| Recording::read_with_rules(&text, &path)).transpose()
}

/// Returns the text of a file that looks like a recording. It may be larger than other files of rules.
pub(crate) fn recording_text(file: &Path) -> Option<String> {
    files::read_large(file, MAX_MIB).ok().filter(|text| Recording::is_recording(text))
}
