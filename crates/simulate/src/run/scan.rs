//! Reads a results.jsonl, complete or interrupted.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{
    error::{Action, RunError, file_error},
    shard::Shard,
    tally::Tally,
};
use crate::{Clock, SimulatedConversation};

/// The first line of results.jsonl, which identifies the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// Name of the run.
    pub(crate) run: String,
    /// Hash of the simulate file and its inputs.
    pub(crate) hash: String,
    /// The number of scenarios.
    pub(crate) scenarios: usize,
    /// The number of conversations in all shards.
    pub(crate) conversations: usize,
    /// What the times follow. With the real clock, two runs differ.
    #[serde(default, skip_serializing_if = "Clock::is_virtual")]
    pub(crate) clock: Clock,
    /// The shard, if the run is divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<Shard>,
}

impl Header {
    /// Returns the shard, or the only shard of a run that is not divided.
    pub(super) fn shard(&self) -> Shard {
        self.shard.unwrap_or_else(Shard::whole)
    }

    /// Describes how the run of `other` differs from this run, apart from the shard.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.run != other.run {
            return Some(format!("its name is {:?}, not {:?}", other.run, self.run));
        }
        let same = self.hash == other.hash && self.conversations == other.conversations;
        (!same).then(|| "the simulate file or its inputs have changed".to_owned())
    }

    /// Describes how the shard of `other` differs from this shard.
    pub(super) fn shard_difference(&self, other: &Self) -> Option<String> {
        let name = |shard: Option<Shard>| {
            shard.map_or("the whole run".to_owned(), |shard| format!("shard {shard}"))
        };
        (self.shard != other.shard)
            .then(|| format!("it is {}, not {}", name(other.shard), name(self.shard)))
    }
}

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

/// The contents of a results.jsonl. Only the places of the conversations are kept.
pub(super) struct Scan {
    pub(super) header: Header,
    /// The place of each conversation, by its position in the run.
    pub(super) spans: BTreeMap<usize, Span>,
    pub(super) tally: Tally,
    /// The positions of the conversations that failed.
    failed: BTreeSet<usize>,
    /// The end of the last complete line.
    pub(super) end: u64,
    /// Number of the incomplete last line, if writing the file was interrupted.
    pub(super) torn: Option<usize>,
}

/// Reads a results.jsonl from its start. Returns `None` if the file has no complete header, because
/// the run ended while it wrote the header.
pub(super) fn scan(mut lines: Lines, path: &Path) -> Result<Option<Scan>, RunError> {
    let Some((header, end)) = header(&mut lines, path)? else { return Ok(None) };
    let mut scan = Scan {
        header,
        spans: BTreeMap::new(),
        tally: Tally::default(),
        failed: BTreeSet::new(),
        end,
        torn: None,
    };
    while let Some(line) = lines.next().map_err(file_error(Action::Read, path))? {
        // Only the last line can be incomplete.
        if let Some(torn) = scan.torn {
            return Err(invalid(path, torn, "not a complete line of JSON"));
        }
        scan.add(&line).map_err(|problem| invalid(path, line.number, &problem))?;
    }
    Ok(Some(scan))
}

/// Returns the error for an invalid line. Without the line, the run is like an interrupted one.
fn invalid(path: &Path, line: usize, problem: &str) -> RunError {
    let problem = format!("{problem}; delete the line to continue");
    RunError::Line { path: path.to_owned(), line, problem }
}

/// Reads the header and returns it with its end. Returns `None` if it is incomplete.
fn header(lines: &mut Lines, path: &Path) -> Result<Option<(Header, u64)>, RunError> {
    let first = lines.next().map_err(file_error(Action::Read, path))?;
    let Some(first) = first else { return Ok(None) };
    if !first.is_complete {
        return torn_header(first.text, path);
    }
    let header = serde_json::from_slice(first.text).map_err(|_| not_results(path))?;
    Ok(Some((header, first.span.end())))
}

/// Reads the header of a file that must have one.
pub(crate) fn read_header(lines: &mut Lines, path: &Path) -> Result<Header, RunError> {
    let (header, _) = header(lines, path)?.ok_or_else(|| empty(path))?;
    Ok(header)
}

/// Returns the error for a file without a complete header.
pub(super) fn empty(path: &Path) -> RunError {
    let problem = "the file has no results; finish the run first".to_owned();
    RunError::Line { path: path.to_owned(), line: 1, problem }
}

/// Accepts the start of a header, so that no other file is overwritten.
fn torn_header<T>(text: &[u8], path: &Path) -> Result<Option<T>, RunError> {
    const START: &[u8] = b"{\"run\":\"";
    let length = text.len().min(START.len());
    if text[..length] == START[..length] { Ok(None) } else { Err(not_results(path)) }
}

fn not_results(path: &Path) -> RunError {
    RunError::NotResults { path: path.to_owned(), advice: None }
}

impl Scan {
    /// Adds a line. If writing it was interrupted, keeps its number only. After a power failure, such
    /// a line can also have zeros and a line break.
    fn add(&mut self, line: &Line<'_>) -> Result<(), String> {
        let conversation = match line.conversation() {
            Ok(conversation) if line.is_complete => conversation,
            Err(error) if line.is_complete && error.is_data() => {
                return Err(format!("not the result of a conversation: {error}"));
            }
            _ => {
                self.torn = Some(line.number);
                return Ok(());
            }
        };
        let index = conversation.index;
        if index >= self.header.conversations || !self.header.shard().contains(index) {
            return Err(format!("conversation {index} does not belong to this file"));
        }
        let Entry::Vacant(vacant) = self.spans.entry(index) else {
            return Err(format!("conversation {index} is already in an earlier line"));
        };
        vacant.insert(line.span);
        if conversation.result.end_reason.is_failure() {
            self.failed.insert(index);
        }
        self.tally.add(&conversation.result);
        self.end = line.span.end();
        Ok(())
    }

    /// Iterates over the places of the conversations that did not fail, in their order.
    pub(super) fn completed(&self) -> impl Iterator<Item = Span> {
        self.spans.iter().filter(|(index, _)| !self.failed.contains(index)).map(|(_, span)| *span)
    }
}
