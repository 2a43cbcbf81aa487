//! The file of a component's recording, which others may edit at the same time.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use twox_hash::XxHash3_64;

use super::{recordings::read_text, request_files};
use crate::{
    base::{diagnostics::Diagnostic, files},
    provider::scripted::recordings::{Added, Exchange, Recording, Unwritten, file_name},
};

/// The file of a component's recording.
pub(super) struct RecordedFile {
    path: PathBuf,
    recording: Recording,
    /// The hash of what the file had when it was read or written. `None` without a file.
    seen: Option<u64>,
    /// The exchanges since.
    unwritten: Vec<Unwritten>,
}

impl RecordedFile {
    /// Reads the file of a component, if there is one. One that cannot be read is read again before it is
    /// replaced.
    pub(super) fn open(folder: &Path, component: &str) -> Self {
        let path = folder.join(file_name(component));
        let (seen, recording) = read(&path).unwrap_or_default();
        Self { path, recording: recording.unwrap_or_default(), seen, unwritten: Vec::new() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Adds an exchange whose key is known. It is written later.
    pub(super) fn add(&mut self, key: u64, exchange: Exchange) -> Result<Added, String> {
        let unwritten = self.recording.unwritten(key, exchange);
        let added = self.recording.add_with_key(key, &unwritten.exchange)?;
        if added == Added::Text {
            self.unwritten.push(unwritten);
        }
        Ok(added)
    }

    /// Writes what was added. If the file was edited since, adds it to what is there now.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, or if what is there cannot be read. Then what was added is kept.
    pub(super) fn write(&mut self, folder: &Path) -> io::Result<()> {
        self.read_edits().map_err(io::Error::other)?;
        let text = self.recording.text();
        // The file refers to the texts.
        request_files::write(folder, &self.recording)?;
        files::replace(&self.path, |file| file.write_all(text.as_bytes()))?;
        self.seen = Some(hash(&text));
        self.unwritten.clear();
        self.recording.forget_long_texts();
        Ok(())
    }

    fn read_edits(&mut self) -> Result<(), String> {
        let lines = |errors: Vec<Diagnostic>| {
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let text = read_text(&self.path).map_err(lines)?;
        if text.as_deref().map(hash) == self.seen {
            return Ok(());
        }
        let (seen, recording) = parsed(&self.path, text.as_deref()).map_err(lines)?;
        let mut recording = recording.unwrap_or_default();
        let file = self.path.display();
        for added in recording.resume(&self.recording, &self.unwritten) {
            match added {
                Ok(Added::Text | Added::Nothing) => {}
                Ok(Added::Kept | Added::Conflict) => {
                    tracing::warn!(
                        "{file}: an exchange is not recorded: the edited answer is kept"
                    );
                }
                Err(error) => tracing::error!("{file}: an exchange is not recorded: {error}"),
            }
        }
        (self.seen, self.recording) = (seen, recording);
        Ok(())
    }
}

/// Returns the hash of a file and what it has, unless there is no file.
type Read = (Option<u64>, Option<Recording>);

fn read(path: &Path) -> Result<Read, Vec<Diagnostic>> {
    parsed(path, read_text(path)?.as_deref())
}

fn parsed(path: &Path, text: Option<&str>) -> Result<Read, Vec<Diagnostic>> {
    let recording = text.map(|text| Recording::read(text, path)).transpose()?;
    Ok((text.map(hash), recording))
}

fn hash(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}
