//! Reads a complete or interrupted results.jsonl.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    path::Path,
};

use super::{
    error::{Action, RunError, file_error},
    header::Header,
    line::{Line, Lines, Span},
    tally::Tally,
};

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
