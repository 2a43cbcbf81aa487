//! Reads the lines of results.jsonl.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use super::error::{Action, RunError, file_error};
use crate::SimulatedConversation;

/// Maximum length of a line. Longer lines are not results.
const MAX_LINE: u64 = 256 << 20;

/// The lines of a file, read one after the other.
pub(crate) struct Lines {
    reader: BufReader<File>,
    buffer: Vec<u8>,
    end: u64,
    number: usize,
}

/// A line.
pub(crate) struct Line<'a> {
    /// The text without the line break.
    pub(crate) text: &'a [u8],
    /// The place of the line in the file.
    pub(crate) span: Span,
    /// Number of the line, counted from 1.
    pub(crate) number: usize,
    /// `false` if the line has no line break, because writing it was interrupted.
    pub(crate) is_complete: bool,
}

/// The place of a line in a file, including the line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) length: u64,
}

impl Span {
    pub(crate) fn end(self) -> u64 {
        self.start + self.length
    }
}

impl Line<'_> {
    /// Reads the record of a conversation.
    pub(crate) fn conversation(&self) -> Result<SimulatedConversation, serde_json::Error> {
        serde_json::from_slice(self.text)
    }
}

impl Lines {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> Result<Self, RunError> {
        Ok(Self::new(File::open(path).map_err(file_error(Action::Open, path))?))
    }

    /// Creates a reader that starts at the beginning of a file.
    pub(super) fn new(file: File) -> Self {
        Self { reader: BufReader::new(file), buffer: Vec::new(), end: 0, number: 0 }
    }

    /// Returns the next line, or `None` at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let read = (&mut self.reader).take(MAX_LINE).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        let text = self.buffer.strip_suffix(b"\n");
        let is_complete = text.is_some();
        if !is_complete && read as u64 == MAX_LINE {
            return Err(io::Error::other("a line is longer than 256 MiB"));
        }
        let span = Span { start: self.end, length: read as u64 };
        self.end = span.end();
        self.number += 1;
        let text = text.unwrap_or(&self.buffer);
        Ok(Some(Line { text, span, number: self.number, is_complete }))
    }
}
