//! Recorded conversations, from files.
//!
//! The text of a file stays in memory, and a conversation is read from it when it is needed.

// json       files in JSON
// csv        files in CSV

mod csv;
mod json;

use std::path::Path;

use jiff::{Timestamp, civil::DateTime, tz::Offset};
use mynah_core::base::{diagnostics::Diagnostic, files};
use schemars::JsonSchema;
use serde::Deserialize;

use super::OriginalConversation;

/// Maximum size of a file in MiB.
pub(super) const MAX_MIB: u64 = 64;

pub(super) const UNKNOWN_FORMAT: &str =
    "the format of the recorded conversations is not known; expected a file .json or .csv";

/// The recorded conversations in a file that have messages.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use mynah_simulate::Recording;
///
/// let recording = Recording::load("../../examples/simulate/recorded.csv".as_ref())?;
/// let first = recording.get(0).ok_or("there are no conversations")?;
/// assert_eq!((recording.len(), first.conversation.messages.len()), (4, 5));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Recording {
    text: String,
    conversations: Index,
    notices: Vec<String>,
}

/// Where the conversations are in the text.
#[derive(Debug)]
enum Index {
    Json(Vec<json::Entry>),
    Csv(csv::Index),
}

/// A format of recorded conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordingFormat {
    Json,
    Csv,
}

impl RecordingFormat {
    /// Returns the format of a file by its extension.
    pub(crate) fn of_file(file: &Path) -> Option<Self> {
        let extension = file.extension()?;
        match () {
            () if extension.eq_ignore_ascii_case("json") => Some(Self::Json),
            () if extension.eq_ignore_ascii_case("csv") => Some(Self::Csv),
            () => None,
        }
    }
}

impl Recording {
    /// Reads a CSV or JSON file, as simulations do.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or is invalid.
    pub fn load(file: &Path) -> Result<Self, Diagnostic> {
        let format = RecordingFormat::of_file(file);
        let format = format.ok_or_else(|| Diagnostic::error(UNKNOWN_FORMAT).in_file(file))?;
        let text = files::read_large(file, MAX_MIB)?;
        Self::read(text, format).map_err(|error| error.in_file(file))
    }

    /// Checks the text of a file. Errors have no file.
    pub(super) fn read(text: String, format: RecordingFormat) -> Result<Self, Diagnostic> {
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        let mut notices = Vec::new();
        let conversations = match format {
            RecordingFormat::Json => Index::Json(json::index(&text, &mut notices)?),
            RecordingFormat::Csv => Index::Csv(csv::index(&text, &mut notices)?),
        };
        Ok(Self { text, conversations, notices })
    }

    /// Returns messages about what was skipped or is ambiguous.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns the number of conversations.
    pub fn len(&self) -> usize {
        match &self.conversations {
            Index::Json(entries) => entries.len(),
            Index::Csv(index) => index.conversations.len(),
        }
    }

    /// Returns `true` if there are no conversations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a conversation, or `None` if there are not so many.
    pub fn get(&self, number: usize) -> Option<OriginalConversation> {
        match &self.conversations {
            Index::Json(entries) => json::read(&self.text, entries.get(number)?),
            Index::Csv(index) => csv::read(&self.text, index, number),
        }
    }
}

/// Returns a message about conversations that begin with messages without text.
fn blank_notice(conversations: usize) -> Option<String> {
    (conversations > 0).then(|| {
        format!(
            "{conversations} recorded conversations begin with messages without text, which are skipped"
        )
    })
}

/// Parses a timestamp. Without an offset, it is in UTC.
fn parse_timestamp(text: &str) -> Result<Timestamp, String> {
    let text = text.trim();
    let with_offset = || text.parse::<Timestamp>().ok();
    let in_utc = || Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    with_offset().or_else(in_utc).ok_or_else(|| {
        format!("{text:?} is not a timestamp; use ISO 8601, such as 2026-05-01T09:00:00Z")
    })
}
