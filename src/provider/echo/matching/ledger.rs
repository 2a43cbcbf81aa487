//! What each tool was mentioned by, and which mentions are used up.

use std::collections::BTreeMap;

use super::Mention;
use crate::chat::{Message, Role, Tool};

/// The state of every tool on offer.
#[derive(Debug)]
pub(super) struct Ledger {
    tools: Vec<Entry>,
    /// The tools, those first whose oldest mentions count.
    longest_open: Vec<usize>,
    /// So many of these are mentioned by now.
    closed: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// The first message whose mention is not used up; `None` for a name that an earlier tool has.
    since: Option<usize>,
    mentioned: Option<usize>,
}

impl Ledger {
    /// A mention is used up by a later call of the tool, and by a later result of it: some clients
    /// drop the calls from the history.
    pub(super) fn new(messages: &[Message], tools: &[Tool]) -> Self {
        let mut entries = vec![Entry::default(); tools.len()];
        let mut by_name = BTreeMap::new();
        for (at, tool) in tools.iter().enumerate() {
            let first = *by_name.entry(tool.name.as_str()).or_insert(at);
            entries[at].since = (first == at).then_some(0);
        }
        for (at, message) in messages.iter().enumerate() {
            let mut close = |name: &str| {
                if let Some(tool) = by_name.get(name) {
                    entries[*tool].since = Some(at + 1);
                }
            };
            match &message.role {
                Role::Assistant { tool_calls } => tool_calls.iter().for_each(|c| close(&c.name)),
                Role::Tool { name, .. } => close(name),
                Role::Developer | Role::System | Role::User => {}
            }
        }
        let mut longest_open: Vec<_> =
            (0..entries.len()).filter(|tool| entries[*tool].since.is_some()).collect();
        longest_open.sort_by_key(|tool| entries[*tool].since);
        Self { tools: entries, longest_open, closed: 0 }
    }

    /// Whether a mention in `message` would make the tool called.
    pub(super) fn is_open(&self, tool: usize, message: usize) -> bool {
        let entry = &self.tools[tool];
        entry.mentioned.is_none() && entry.since.is_some_and(|since| since <= message)
    }

    /// Whether [`is_open`](Self::is_open) holds for any tool. Messages come newest first.
    pub(super) fn any_open(&mut self, message: usize) -> bool {
        let mentioned = |tool: &usize| self.tools[*tool].mentioned.is_some();
        let open = &self.longest_open[self.closed..];
        self.closed += open.iter().take_while(|tool| mentioned(tool)).count();
        self.longest_open.get(self.closed).is_some_and(|tool| self.is_open(*tool, message))
    }

    /// The names to look for, in the order of the tools: a repeated name only once.
    pub(super) fn names<'t>(&self, tools: &'t [Tool]) -> impl Iterator<Item = &'t str> {
        let once = |(tool, entry): (&'t Tool, &Entry)| entry.since.map_or("", |_| &tool.name);
        tools.iter().zip(&self.tools).map(once)
    }

    /// Notes that `message` mentions an open tool.
    pub(super) fn mention(&mut self, tool: usize, message: usize) {
        self.tools[tool].mentioned = Some(message);
    }

    /// All mentions, in the order of the tools.
    pub(super) fn mentions(&self) -> Vec<Mention> {
        let noted = self.tools.iter().enumerate();
        noted
            .filter_map(|(tool, entry)| Some(Mention { tool, message: entry.mentioned? }))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Ledger;
    use crate::chat::{Message, Role, Tool, ToolCall};

    fn tool(name: &str) -> Tool {
        Tool { name: name.to_owned(), description: None, parameters: None }
    }

    #[test]
    fn calls_and_results_use_mentions_up() {
        let call = ToolCall { id: None, name: "a".to_owned(), arguments: String::new() };
        let messages = [
            Message::new(Role::User, ""),
            Message::new(Role::Assistant { tool_calls: vec![call] }, ""),
            Message::new(Role::Tool { id: None, name: "b".to_owned() }, ""),
            Message::new(Role::User, ""),
        ];
        let mut ledger = Ledger::new(&messages, &["a", "b", "c", "a"].map(tool));
        let open = |ledger: &Ledger, at| [0, 1, 2, 3].map(|tool| ledger.is_open(tool, at));
        assert_eq!(open(&ledger, 0), [false, false, true, false]);
        assert_eq!(open(&ledger, 3), [true, true, true, false]);
        assert!(ledger.any_open(0));
        ledger.mention(2, 3);
        assert!(ledger.any_open(3) && !ledger.any_open(0));
        ledger.mention(0, 3);
        ledger.mention(1, 3);
        assert!(!ledger.any_open(3));
    }

    #[test]
    fn a_repeated_name_counts_once() {
        let tools = ["a", "b", "a"].map(tool);
        let ledger = Ledger::new(&[], &tools);
        assert_eq!(ledger.names(&tools).collect::<Vec<_>>(), ["a", "b", ""]);
    }
}
