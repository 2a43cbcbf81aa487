//! Recorded conversations, from files.
//!
//! The text of a file stays in memory, and a conversation is read from it when it is needed.

// json       files in JSON
// csv        files in CSV
// timestamp  timestamps as other programs write them

mod csv;
mod json;
mod timestamp;

use super::{OriginalConversation, file::RecordingFormat};
use crate::base::diagnostics::Diagnostic;

/// Maximum size of a file in MiB.
pub(super) const MAX_MIB: u64 = 64;

/// The recorded conversations in a file that have messages.
#[derive(Debug)]
pub(super) struct Recording {
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

impl Recording {
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
    pub(super) fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Returns the number of conversations.
    pub(super) fn len(&self) -> usize {
        match &self.conversations {
            Index::Json(entries) => entries.len(),
            Index::Csv(index) => index.len(),
        }
    }

    /// Returns a conversation, or `None` if there are not so many.
    pub(super) fn get(&self, number: usize) -> Option<OriginalConversation> {
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
