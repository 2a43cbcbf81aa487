//! Recorded conversations in JSON: `{"conversations": [{"messages": […], "outcome": {…}}]}`.

use std::ops::Range;

use mynah_core::base::{
    diagnostics::{Diagnostic, Place},
    reader_message,
};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::value::RawValue;

use super::{blank_notice, parse_timestamp};
use crate::{
    Conversation, MadeCall, OriginalConversation, Outcome, ParticipantRole, SentMessage, Timestamp,
};

/// A conversation in the text.
#[derive(Debug)]
pub(super) struct Entry {
    range: Range<usize>,
    /// The position in the file, counting conversations without messages.
    number: usize,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `conversations`")]
struct File<'a> {
    #[serde(borrow)]
    conversations: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Recorded {
    id: Option<String>,
    messages: Vec<RecordedMessage>,
    outcome: Option<RecordedOutcome>,
}

#[derive(Deserialize)]
struct RecordedMessage {
    content: String,
    #[serde(deserialize_with = "read_timestamp")]
    timestamp: Timestamp,
    sender: ParticipantRole,
    #[serde(default)]
    tool_calls: Vec<MadeCall>,
}

#[derive(Deserialize)]
struct RecordedOutcome {
    name: String,
    #[serde(default)]
    description: String,
}

impl RecordedMessage {
    fn has_text(&self) -> bool {
        !self.content.trim().is_empty()
    }
}

fn read_timestamp<'de, D: Deserializer<'de>>(source: D) -> Result<Timestamp, D::Error> {
    parse_timestamp(&String::deserialize(source)?).map_err(D::Error::custom)
}

/// Checks a file. Returns its conversations that have a message with text.
pub(super) fn index(text: &str, notices: &mut Vec<String>) -> Result<Vec<Entry>, Diagnostic> {
    let File { conversations } = serde_json::from_str(text)
        .map_err(|error| Diagnostic::error(reason(&error)).at(place(text, 0, &error)))?;
    let (mut entries, mut blank) = (Vec::new(), 0);
    for (number, raw) in conversations.into_iter().enumerate() {
        // The raw value is a part of the text.
        let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
        let mut json = serde_json::Deserializer::from_str(raw.get());
        let recorded: Recorded = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let message =
                format!("conversations[{number}].{}: {}", error.path(), reason(error.inner()));
            Diagnostic::error(message).at(place(text, start, error.inner()))
        })?;
        let first = recorded.messages.iter().position(RecordedMessage::has_text);
        blank += usize::from(!recorded.messages.is_empty() && first != Some(0));
        if first.is_some() {
            entries.push(Entry { range: start..start + raw.get().len(), number });
        }
    }
    notices.extend(blank_notice(blank));
    Ok(entries)
}

/// Returns the message of an error without its place.
fn reason(error: &serde_json::Error) -> String {
    reader_message::reason(&error.to_string(), "an object")
}

/// Returns the place of an error in a value that begins at byte `start` of the text.
fn place(text: &str, start: usize, error: &serde_json::Error) -> Place {
    let before = text.get(..start).unwrap_or_default();
    let line = before.matches('\n').count() + error.line();
    // serde_json counts columns in bytes; the column of an error at a line break is 0.
    let in_value = text.get(start..).unwrap_or_default();
    let (offset, value_line) = match error.line() {
        1 => (before.rsplit('\n').next().unwrap_or_default(), in_value.lines().next()),
        number => ("", in_value.lines().nth(number - 1)),
    };
    let value_line = value_line.unwrap_or_default();
    let end = value_line.floor_char_boundary(error.column());
    let column = offset.chars().count() + value_line[..end].chars().count();
    Place { line, column: column.max(1) }
}

/// Returns a conversation, whose id is the one in the file or `original_<number>`.
pub(super) fn read(text: &str, entry: &Entry) -> Option<OriginalConversation> {
    let Recorded { id, messages, outcome } =
        serde_json::from_str(text.get(entry.range.clone())?).ok()?;
    let messages = messages.into_iter().skip_while(|message| !message.has_text()).map(|message| {
        let RecordedMessage { content, timestamp, sender, tool_calls } = message;
        SentMessage { content, timestamp, sender, tool_calls }
    });
    let outcome =
        outcome.map(|RecordedOutcome { name, description }| Outcome { name, description });
    let id = id.unwrap_or_else(|| format!("original_{}", entry.number));
    let messages = messages.collect();
    Some(OriginalConversation::new(
        id,
        Conversation { messages, outcome, ..Conversation::default() },
    ))
}
