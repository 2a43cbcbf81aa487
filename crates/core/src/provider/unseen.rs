//! What a component that owns tools does unseen by its caller.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use crate::chat::{Message, Role};

/// The tools that a component owns, and the messages of a request that its caller did not send: the
/// calls of these tools and their results.
#[derive(Debug, Default)]
pub struct Unseen {
    /// The names of the tools.
    pub tools: Arc<BTreeSet<String>>,
    /// The messages from before earlier answers.
    pub earlier: Vec<Range<usize>>,
    /// The number of messages at the start of the call. All later ones are unseen.
    pub start: usize,
}

impl Unseen {
    /// Returns `true` if the component owns the tool.
    pub fn owns(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    /// Returns `true` if the caller sent the message with this index.
    pub fn is_seen(&self, index: usize) -> bool {
        index < self.start && !self.earlier.iter().any(|range| range.contains(&index))
    }

    /// Returns the number of turns of the model since the start of the call.
    pub fn turns(&self, messages: &[Message]) -> usize {
        let since = messages.get(self.start..).unwrap_or_default();
        since.iter().filter(|message| is_turn(message)).count()
    }

    /// Returns the index of the model's last turn that the caller has seen.
    pub fn last_seen_turn(&self, messages: &[Message]) -> Option<usize> {
        let mut turns = messages.iter().enumerate().rev();
        turns.find(|(at, message)| is_turn(message) && self.is_seen(*at)).map(|(at, _)| at)
    }
}

fn is_turn(message: &Message) -> bool {
    matches!(message.role, Role::Assistant { .. })
}
