//! The places of the conversations in the results.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::PathBuf,
};

use twox_hash::XxHash3_64;

use crate::{
    Conversation, SimulatedConversation,
    run::{Action, RunError, Span, file_error},
};

/// The places of the conversations in the results.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Index {
    pub(super) path: PathBuf,
    /// The conversations that did not fail and have messages.
    pub(super) simulated: Vec<Span>,
    /// The lines with the recorded conversations that have messages, each once.
    pub(super) originals: Vec<Original>,
    /// All conversations by their group in the report.
    pub(crate) groups: BTreeMap<Group, Vec<Span>>,
}

/// A recorded conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Original {
    /// The line with the conversation.
    pub(super) span: Span,
    /// Hash of the conversation.
    pub(super) hash: u64,
}

/// A group of conversations in the report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// Conversations with this outcome.
    Outcome(String),
    /// Conversations without an outcome.
    WithoutOutcome,
    /// Conversations that failed.
    Failed,
}

impl Index {
    /// Reads conversations of the results.
    pub(crate) fn read(
        &self,
        spans: impl IntoIterator<Item = Span>,
    ) -> Result<Vec<SimulatedConversation>, RunError> {
        let mut file = File::open(&self.path).map_err(file_error(Action::Open, &self.path))?;
        let read = |span| read_at(&mut file, span);
        let conversations: io::Result<_> = spans.into_iter().map(read).collect();
        conversations.map_err(file_error(Action::Read, &self.path))
    }
}

fn read_at(file: &mut File, span: Span) -> io::Result<SimulatedConversation> {
    file.seek(SeekFrom::Start(span.start))?;
    let mut line = Vec::new();
    file.take(span.length).read_to_end(&mut line)?;
    Ok(serde_json::from_slice(&line)?)
}

/// Returns the hash of a conversation's JSON.
pub(super) fn hash(conversation: &Conversation) -> u64 {
    // The types of a conversation can always be converted to JSON.
    let json = serde_json::to_vec(conversation).unwrap_or_default();
    XxHash3_64::oneshot(&json)
}
