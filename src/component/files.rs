//! What folders hold, and what files say.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::Place;

/// The largest file that is read.
const MAX_BYTES: u64 = 4 << 20;

/// The files of a folder, in the order of their names.
pub(super) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether the name of a file says that it is YAML.
pub(super) fn is_yaml(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml")
}

/// Why a file has no text.
pub(crate) struct Unreadable {
    pub(crate) place: Option<Place>,
    pub(crate) message: String,
}

/// The text of a file of components, or of secrets.
pub(super) fn read(file: &Path) -> Result<String, Unreadable> {
    text(open(file).and_then(bytes))
}

/// The text of what a user names, which may be a pipe.
pub(crate) fn read_input(file: &Path) -> Result<String, Unreadable> {
    text(File::open(file).and_then(bytes))
}

/// The text of what is read to its end, such as standard input.
pub(crate) fn read_from(source: impl Read) -> Result<String, Unreadable> {
    text(bytes(source))
}

fn text(bytes: io::Result<Vec<u8>>) -> Result<String, Unreadable> {
    let bytes = bytes
        .map_err(|error| Unreadable { place: None, message: format!("cannot be read: {error}") })?;
    String::from_utf8(bytes).map_err(|error| Unreadable {
        place: Some(end_of(error.utf8_error().valid_up_to(), error.as_bytes())),
        message: "not valid UTF-8".to_owned(),
    })
}

fn open(file: &Path) -> io::Result<File> {
    // Opening a pipe would wait for somebody to write into it.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(file)
}

fn bytes(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("larger than 4 MiB"));
    }
    Ok(bytes)
}

/// The place after the first `length` bytes, which are valid text.
fn end_of(length: usize, bytes: &[u8]) -> Place {
    let valid = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default());
    let last = valid.rsplit('\n').next().unwrap_or_default();
    Place { line: valid.matches('\n').count() + 1, column: last.chars().count() + 1 }
}
