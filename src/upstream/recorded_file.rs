//! The file of a component's recording, which others may edit at the same time.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use twox_hash::XxHash3_64;

use super::{recordings::read_text, request_files};
use crate::{
    base::{
        diagnostics::Diagnostic,
        files::{self, Version},
    },
    provider::scripted::recordings::{Added, Exchange, Recording, Unwritten, file_name},
};

/// How often a file is read again because it is edited while it is written.
const MAX_ATTEMPTS: usize = 5;

/// The file of a component's recording.
pub(super) struct RecordedFile {
    path: PathBuf,
    recording: Recording,
    /// The hash of what the file had when it was read or written. `None` without a file.
    seen: Option<u64>,
    /// The version of the file when it was last read to be written.
    version: Option<Version>,
    /// The exchanges since.
    unwritten: Vec<Unwritten>,
}

impl RecordedFile {
    /// Reads the file of a component, if there is one. One that cannot be read is read again before it is
    /// replaced.
    pub(super) fn open(folder: &Path, component: &str) -> Self {
        let path = folder.join(file_name(component));
        let (seen, recording) = read(&path).unwrap_or_default();
        let recording = recording.unwrap_or_default();
        Self { path, recording, seen, version: None, unwritten: Vec::new() }
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
        for _ in 0..MAX_ATTEMPTS {
            let text = self.merged(folder)?;
            if self.replace(&text)? {
                return Ok(());
            }
        }
        Err(io::Error::other("it is edited again and again"))
    }

    /// Returns the text of the file with what was added and all edits. Writes the texts that it refers to.
    fn merged(&mut self, folder: &Path) -> io::Result<String> {
        // An edit while the file is read makes another version.
        self.version = Version::of(&self.path);
        self.read_edits().map_err(io::Error::other)?;
        request_files::write(folder, &self.recording)?;
        Ok(self.recording.text())
    }

    /// Replaces the file. Returns `false` if it was edited since it was [read](Self::merged).
    fn replace(&mut self, text: &str) -> io::Result<bool> {
        let is_same = || Version::of(&self.path) == self.version;
        if !files::replace_if(&self.path, |file| file.write_all(text.as_bytes()), is_same)? {
            return Ok(false);
        }
        self.seen = Some(hash(text));
        self.unwritten.clear();
        self.recording.forget_long_texts();
        Ok(true)
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

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;
    use crate::{
        chat::{Request, Response},
        provider::scripted::recordings::{Recorded, RecordedAnswer},
    };

    fn exchange(prompt: &str) -> Exchange {
        let end = Ok(Response { content: format!("{prompt}!"), ..Response::default() });
        let recorded =
            Recorded { date: "2026-11-28".into(), duration: Duration::ZERO, model: None };
        let answer = RecordedAnswer { end, chunks: None, reasoning_chunks: Vec::new(), recorded };
        Exchange::new(&Request::from(prompt), "gpt", "default", answer)
    }

    fn add(file: &mut RecordedFile, prompt: &str) {
        let exchange = exchange(prompt);
        let key = file.recording().key(&exchange);
        assert_eq!(file.add(key, exchange), Ok(Added::Text));
    }

    /// The file is edited when it has been read and is not replaced yet.
    #[test]
    fn an_edit_while_the_file_is_written_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gpt.yaml");
        let mut file = RecordedFile::open(folder.path(), "gpt");
        add(&mut file, "one");
        file.write(folder.path()).unwrap();
        add(&mut file, "two");
        let text = file.merged(folder.path()).unwrap();
        // Both texts have the same length.
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("one!", "own!")).unwrap();
        assert!(!file.replace(&text).unwrap());
        assert!(fs::read_to_string(&path).unwrap().contains("own!"));
        file.write(folder.path()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("own!") && text.contains("two!") && !text.contains("one!"), "{text}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
