//! The files of the long texts of recorded requests.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use super::hashed_file;
use crate::provider::scripted::{
    recordings::Recording,
    rules::matching::request::{REQUESTS, TextFile},
};

/// Writes the long texts of a recording that are not written yet.
pub(super) fn write(folder: &Path, recording: &Recording) -> io::Result<()> {
    let mut texts = recording.long_texts();
    texts.try_for_each(|(file, text)| hashed_file::write(folder, file, &TextFile::content(text)))
}

/// Removes the texts that no file in a folder mentions.
pub(super) fn remove_unused(folder: &Path) -> io::Result<()> {
    let mut unused = BTreeSet::new();
    for_each_file(&folder.join(REQUESTS), |path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        unused.extend(TextFile::is_name(name).then(|| name.to_owned()));
        Ok(())
    })?;
    if unused.is_empty() {
        return Ok(());
    }
    for_each_file(folder, |path| {
        let content = fs::read(path)?;
        mentioned(&content).for_each(|name| {
            unused.remove(name);
        });
        Ok(())
    })?;
    unused.iter().try_for_each(|name| fs::remove_file(folder.join(REQUESTS).join(name)))
}

fn for_each_file(folder: &Path, mut visit: impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_file() {
            visit(&path)?;
        }
    }
    Ok(())
}

/// Returns the names of texts in the content of a file, whatever its format.
fn mentioned(content: &[u8]) -> impl Iterator<Item = &str> {
    const LENGTH: usize = "0123456789abcdef.json".len();
    let names = content.windows(LENGTH).filter(|name| name.ends_with(b".json"));
    names.filter_map(|name| str::from_utf8(name).ok()).filter(|name| TextFile::is_name(name))
}
