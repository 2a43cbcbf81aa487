//! The recordings that `mynah check` checks.

use std::{fs, path::Path};

use crate::{base::diagnostics::Diagnostic, component::Loaded, upstream::read_recording};

/// Checks that exchanges can be read from and added to the recordings of all components with real models.
/// Returns the number of valid recordings.
pub(super) fn check_recordings(folder: &Path, is_replayed: bool, loaded: &mut Loaded) -> usize {
    if let (Err(error), true) = (fs::read_dir(folder), is_replayed) {
        loaded.errors.push(Diagnostic::error(error.to_string()).in_file(folder));
    }
    let real = loaded.components.iter().filter(|spec| spec.provider.answered_by().is_some());
    let (mut valid, mut errors) = (0, Vec::new());
    for component in real {
        match read_recording(folder, &component.name) {
            Ok(recording) => valid += usize::from(recording.is_some()),
            Err(invalid) => errors.extend(invalid),
        }
    }
    // A replayed file has been read with the components.
    errors.retain(|error| !loaded.errors.contains(error));
    loaded.errors.extend(errors);
    valid
}
