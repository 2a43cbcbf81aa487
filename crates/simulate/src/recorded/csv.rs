//! Recorded conversations in CSV: one row for each message.

use std::collections::BTreeSet;

use csv::{ByteRecord, Reader, ReaderBuilder, StringRecord};
use indexmap::IndexMap;
use mynah_core::base::{
    diagnostics::{Diagnostic, Place},
    text::shorten,
};

use super::{blank_notice, parse_timestamp};
use crate::{Conversation, OriginalConversation, Outcome, ParticipantRole, SentMessage, Timestamp};

const COLUMNS: [&str; 4] = ["conversation_id", "sender", "content", "timestamp"];
const OUTCOME_COLUMNS: [&str; 2] = ["outcome_name", "outcome_description"];
/// Maximum number of unknown senders that are listed, and of their characters.
const LISTED_SENDERS: usize = 5;
const SHOWN_SENDER: usize = 40;
/// Size of the buffer for a row. It grows if a row is longer.
const ROW_BUFFER: usize = 1024;

/// The conversations of a file, in the order of their first rows.
#[derive(Debug)]
pub(super) struct Index {
    columns: Columns,
    pub(super) conversations: IndexMap<String, Vec<Row>>,
}

/// A row of a conversation. Rows are ordered by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    timestamp: Timestamp,
    /// The start of the row in the text.
    start: usize,
    /// Whether the message has no text.
    is_blank: bool,
}

/// The positions of the columns.
#[derive(Debug, Clone, Copy)]
struct Columns {
    required: [usize; 4],
    outcome: [Option<usize>; 2],
}

/// Checks a file. Returns its conversations that have a message with text.
pub(super) fn index(text: &str, notices: &mut Vec<String>) -> Result<Index, Diagnostic> {
    let mut reader = Reader::from_reader(text.as_bytes());
    let columns = columns(reader.headers().map_err(|error| diagnostic(&error))?)?;
    let mut conversations = IndexMap::<String, Vec<Row>>::new();
    let mut senders = BTreeSet::new();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| diagnostic(&error))? {
        let (start, line) = record.position().map_or((0, 1), |at| (at.byte(), at.line()));
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let [id, sender, content, time] =
            columns.required.map(|column| record.get(column).unwrap_or_default());
        let timestamp = parse_timestamp(time).map_err(|error| {
            Diagnostic::error(format!("timestamp: {error}")).at(line_start(line))
        })?;
        let is_blank = content.trim().is_empty();
        conversations.entry(id.to_owned()).or_default().push(Row { timestamp, start, is_blank });
        let is_known =
            ["customer", "agent"].iter().any(|it| sender.trim().eq_ignore_ascii_case(it));
        if !is_known && senders.len() <= LISTED_SENDERS && !senders.contains(sender.trim()) {
            senders.insert(sender.trim().to_owned());
        }
    }
    conversations.values_mut().for_each(|rows| rows.sort());
    let begins_blank = |rows: &&Vec<Row>| rows.first().is_some_and(|row| row.is_blank);
    notices.extend(blank_notice(conversations.values().filter(begins_blank).count()));
    notices.extend(sender_notice(&senders));
    conversations.retain(|_, rows| rows.iter().any(|row| !row.is_blank));
    Ok(Index { columns, conversations })
}

/// Returns a message about senders that are neither customers nor agents.
fn sender_notice(senders: &BTreeSet<String>) -> Option<String> {
    if senders.is_empty() {
        return None;
    }
    let listed = senders.iter().take(LISTED_SENDERS).map(|sender| shorten(sender, SHOWN_SENDER));
    let listed: Vec<_> = listed.map(|sender| format!("{sender:?}")).collect();
    let more = if senders.len() > LISTED_SENDERS { ", …" } else { "" };
    let listed = listed.join(", ");
    Some(format!(
        "expected the senders customer and agent; these are taken as agents: {listed}{more}"
    ))
}

fn columns(header: &StringRecord) -> Result<Columns, Diagnostic> {
    let find = |name: &str| header.iter().position(|column| column.trim() == name);
    let missing: Vec<_> = COLUMNS.into_iter().filter(|name| find(name).is_none()).collect();
    if !missing.is_empty() {
        let optional = OUTCOME_COLUMNS.join(" and ");
        let message = format!(
            "missing columns: {}; expected {}, and optionally {optional}",
            missing.join(", "),
            COLUMNS.join(", "),
        );
        return Err(Diagnostic::error(message).at(line_start(1)));
    }
    let required = COLUMNS.map(|name| find(name).unwrap_or_default());
    Ok(Columns { required, outcome: OUTCOME_COLUMNS.map(find) })
}

fn line_start(line: u64) -> Place {
    Place { line: usize::try_from(line).unwrap_or(usize::MAX), column: 1 }
}

fn diagnostic(error: &csv::Error) -> Diagnostic {
    let line = error.position().map_or(1, csv::Position::line);
    let message = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("the row has {len} fields; the first row has {expected_len}")
        }
        _ => format!("not valid CSV: {error}"),
    };
    Diagnostic::error(message).at(line_start(line))
}

/// Returns a conversation.
pub(super) fn read(text: &str, index: &Index, number: usize) -> Option<OriginalConversation> {
    let (id, rows) = index.conversations.get_index(number)?;
    let mut conversation = Conversation::default();
    for (position, row) in rows.iter().enumerate() {
        let record = read_row(text, row.start)?;
        let field = |column: usize| Some(String::from_utf8_lossy(record.get(column)?).into_owned());
        let [_, sender, content, _] = index.columns.required.map(field);
        if !(row.is_blank && conversation.messages.is_empty()) {
            conversation.messages.push(SentMessage {
                content: content?,
                timestamp: row.timestamp,
                sender: role(sender?.trim()),
                tool_calls: Vec::new(),
            });
        }
        if position == 0 {
            let [name, description] = index.columns.outcome.map(|column| field(column?));
            let name = name.filter(|name| !name.is_empty());
            conversation.outcome =
                name.map(|name| Outcome::new(name, description.unwrap_or_default()));
        }
    }
    Some(OriginalConversation::new(id.clone(), conversation))
}

fn read_row(text: &str, start: usize) -> Option<ByteRecord> {
    let rest = text.get(start..)?.as_bytes();
    let mut builder = ReaderBuilder::new();
    let mut reader = builder.has_headers(false).buffer_capacity(ROW_BUFFER).from_reader(rest);
    let mut record = ByteRecord::new();
    reader.read_byte_record(&mut record).ok()?.then_some(record)
}

/// Every sender but `customer` is an agent.
fn role(sender: &str) -> ParticipantRole {
    if sender.eq_ignore_ascii_case("customer") {
        ParticipantRole::Customer
    } else {
        ParticipantRole::Agent
    }
}
