//! Writes files that are named by a hash of what they have.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use crate::{base::files, provider::scripted::recordings::MAX_MIB};

/// Writes a file in a folder of the recordings, unless it is there. Equal contents have the same file.
///
/// # Errors
///
/// Fails if the file cannot be written. The error names it.
pub(super) fn write(recordings: &Path, file: &str, content: &str) -> io::Result<()> {
    let path = recordings.join(file);
    if files::read_large(&path, MAX_MIB).is_ok_and(|known| known == content) {
        return Ok(());
    }
    let write = || {
        fs::create_dir_all(path.parent().unwrap_or(recordings))?;
        files::replace(&path, |file| file.write_all(content.as_bytes()))
    };
    write().map_err(|error| io::Error::new(error.kind(), format!("{file}: {error}")))
}
