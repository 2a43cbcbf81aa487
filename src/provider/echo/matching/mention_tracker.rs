//! Tracks which tools are mentioned and which mentions still trigger a call.

use std::collections::BTreeMap;

use super::mention::Mention;
use crate::chat::{Message, Role, Tool};

/// The state of every offered tool during a search from the newest message to the oldest.
///
/// A mention triggers one call. It no longer counts if a later message calls the tool or contains a
/// result from the tool. Results are checked too because some clients drop calls from the history.
#[derive(Debug)]
pub(super) struct MentionTracker {
    tools: Vec<ToolState>,
    /// The tools, sorted by the first message in which a mention counts.
    by_first_message: Vec<usize>,
    /// The number of tools at the start of `by_first_message` that are known to be mentioned.
    mentioned: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct ToolState {
    /// The first message in which a mention counts, or `None` if an earlier tool has the same name.
    first_message: Option<usize>,
    /// The latest message that mentions the tool.
    mentioned_in: Option<usize>,
}

impl MentionTracker {
    pub(super) fn new(messages: &[Message], tools: &[Tool]) -> Self {
        let mut states = vec![ToolState::default(); tools.len()];
        let mut by_name = BTreeMap::new();
        for (at, tool) in tools.iter().enumerate() {
            let first = *by_name.entry(tool.name.as_str()).or_insert(at);
            states[at].first_message = (first == at).then_some(0);
        }
        for (at, message) in messages.iter().enumerate() {
            let mut ignore_earlier = |name: &str| {
                if let Some(tool) = by_name.get(name) {
                    states[*tool].first_message = Some(at + 1);
                }
            };
            match &message.role {
                Role::Assistant { tool_calls } => {
                    tool_calls.iter().for_each(|call| ignore_earlier(&call.name));
                }
                Role::Tool { name, .. } => ignore_earlier(name),
                Role::Developer | Role::System | Role::User => {}
            }
        }
        let mut by_first_message: Vec<_> =
            (0..states.len()).filter(|tool| states[*tool].first_message.is_some()).collect();
        by_first_message.sort_by_key(|tool| states[*tool].first_message);
        Self { tools: states, by_first_message, mentioned: 0 }
    }

    /// Returns `true` if a mention of `tool` in `message` counts and none has been found yet.
    pub(super) fn is_pending(&self, tool: usize, message: usize) -> bool {
        let state = &self.tools[tool];
        state.mentioned_in.is_none() && state.first_message.is_some_and(|first| first <= message)
    }

    /// Returns `true` if any tool [is pending](Self::is_pending) in `message`. From one call to the
    /// next, `message` must not increase.
    pub(super) fn any_pending(&mut self, message: usize) -> bool {
        let is_mentioned = |tool: &usize| self.tools[*tool].mentioned_in.is_some();
        let rest = &self.by_first_message[self.mentioned..];
        self.mentioned += rest.iter().take_while(|tool| is_mentioned(tool)).count();
        let first = self.by_first_message.get(self.mentioned);
        first.is_some_and(|tool| self.is_pending(*tool, message))
    }

    /// Returns the names to search for, in the order of the tools. If an earlier tool has the same
    /// name, the name is empty.
    pub(super) fn names<'t>(&self, tools: &'t [Tool]) -> impl Iterator<Item = &'t str> {
        let once =
            |(tool, state): (&'t Tool, &ToolState)| state.first_message.map_or("", |_| &tool.name);
        tools.iter().zip(&self.tools).map(once)
    }

    /// Records that `message` mentions a pending tool.
    pub(super) fn record(&mut self, tool: usize, message: usize) {
        self.tools[tool].mentioned_in = Some(message);
    }

    /// Returns all recorded mentions, in the order of the tools.
    pub(super) fn mentions(&self) -> Vec<Mention> {
        let states = self.tools.iter().enumerate();
        states
            .filter_map(|(tool, state)| Some(Mention { tool, message: state.mentioned_in? }))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::MentionTracker;
    use crate::chat::{Message, Role, Tool, ToolCall};

    fn tool(name: &str) -> Tool {
        Tool { name: name.to_owned(), description: None, parameters: None }
    }

    #[test]
    fn calls_and_results_invalidate_earlier_mentions() {
        let call = ToolCall { id: None, name: "a".to_owned(), arguments: String::new() };
        let messages = [
            Message::new(Role::User, ""),
            Message::new(Role::Assistant { tool_calls: vec![call] }, ""),
            Message::new(Role::Tool { id: None, name: "b".to_owned() }, ""),
            Message::new(Role::User, ""),
        ];
        let mut tracker = MentionTracker::new(&messages, &["a", "b", "c", "a"].map(tool));
        let pending =
            |tracker: &MentionTracker, at| [0, 1, 2, 3].map(|tool| tracker.is_pending(tool, at));
        assert_eq!(pending(&tracker, 0), [false, false, true, false]);
        assert_eq!(pending(&tracker, 3), [true, true, true, false]);
        assert!(tracker.any_pending(0));
        tracker.record(2, 3);
        assert!(tracker.any_pending(3) && !tracker.any_pending(0));
        tracker.record(0, 3);
        tracker.record(1, 3);
        assert!(!tracker.any_pending(3));
    }

    #[test]
    fn repeated_names_are_searched_once() {
        let tools = ["a", "b", "a"].map(tool);
        let tracker = MentionTracker::new(&[], &tools);
        assert_eq!(tracker.names(&tools).collect::<Vec<_>>(), ["a", "b", ""]);
    }
}
