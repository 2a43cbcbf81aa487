//! Reads the file that `--journal` writes.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error as ThisError;

use crate::api::inspector::Report;

/// The inspector shows at most this many entries, the newest ones, of at most this size in bytes.
const MAX_ENTRIES: usize = 10_000;
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// An error in a journal file.
#[derive(Debug, ThisError)]
pub(super) enum JournalFileError {
    /// The file cannot be read.
    #[error("cannot read {}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file has something else.
    #[error("{} has no calls; expected a file that mynah serve --journal has written", .0.display())]
    NoCalls(PathBuf),
}

/// What every entry has.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "number")]
    _number: u64,
    #[serde(rename = "outcome")]
    _outcome: String,
}

/// The newest entries of a file.
#[derive(Default)]
struct Newest {
    entries: VecDeque<Box<RawValue>>,
    bytes: usize,
    omitted: u64,
    skipped: u64,
}

/// Reads a file. Lines that are no entries, such as one that a killed process left, are counted.
pub(super) fn read(file: &Path) -> Result<Report, JournalFileError> {
    let failed = |source| JournalFileError::Read { file: file.to_owned(), source };
    let newest = newest(file).map_err(failed)?;
    let Newest { entries, omitted, skipped, .. } = newest;
    if entries.is_empty() && skipped > 0 {
        return Err(JournalFileError::NoCalls(file.to_owned()));
    }
    let source = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    Ok(Report { source, entries: entries.into(), omitted, skipped })
}

fn newest(file: &Path) -> io::Result<Newest> {
    let mut newest = Newest::default();
    for line in BufReader::new(File::open(file)?).split(b'\n') {
        newest.add(&line?);
    }
    Ok(newest)
}

impl Newest {
    fn add(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let is_entry = serde_json::from_slice::<Line>(line).is_ok();
        let entry = serde_json::from_slice::<Box<RawValue>>(line).ok().filter(|_| is_entry);
        let Some(entry) = entry else {
            self.skipped += 1;
            return;
        };
        self.bytes += entry.get().len();
        self.entries.push_back(entry);
        while self.entries.len() > MAX_ENTRIES || self.bytes > MAX_BYTES {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.get().len();
            self.omitted += 1;
        }
    }
}
