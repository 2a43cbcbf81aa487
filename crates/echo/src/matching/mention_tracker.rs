//! Tracks which tools are mentioned and which mentions still trigger a call.

use mynah_core::{
    chat::{Message, Role},
    provider::Unseen,
};

use super::{Mention, index::ToolIndex};

/// The state of every offered tool during a search from the newest message to the oldest.
///
/// A mention triggers one call. It no longer counts if a later message calls the tool or contains a
/// result from the tool. Results are checked too because some clients drop calls from the history.
/// The calls of the component's own tools are not in the history, so a mention of such a tool no
/// longer counts if the caller has got an answer since.
pub(super) struct MentionTracker {
    /// By tool, the first message in which a mention counts.
    first_messages: Vec<usize>,
    mentions: Vec<Option<Mention>>,
    /// The first message in which a mention of any tool counts that has not been found yet.
    first_pending: Option<usize>,
}

impl MentionTracker {
    pub(super) fn new(messages: &[Message], index: &ToolIndex, unseen: Option<&Unseen>) -> Self {
        let mut first_messages = vec![0; index.tools.len()];
        let mut ignore_earlier = |name: &str, at: usize| {
            if let Some(tool) = index.by_name.get(name) {
                first_messages[*tool] = first_messages[*tool].max(at + 1);
            }
        };
        if let Some(unseen) = unseen
            && let Some(answer) = unseen.last_seen_turn(messages)
        {
            unseen.tools.iter().for_each(|tool| ignore_earlier(tool, answer));
        }
        for (at, message) in messages.iter().enumerate() {
            match &message.role {
                Role::Assistant { tool_calls } => {
                    tool_calls.iter().for_each(|call| ignore_earlier(&call.name, at));
                }
                Role::Tool { name, .. } => ignore_earlier(name, at),
                Role::Developer | Role::System | Role::User => {}
            }
        }
        let mut tracker =
            Self { first_messages, mentions: vec![None; index.tools.len()], first_pending: None };
        tracker.update();
        tracker
    }

    /// Returns `true` if a mention of `tool` in `message` counts and none has been found yet.
    pub(super) fn is_pending(&self, tool: usize, message: usize) -> bool {
        self.mentions[tool].is_none() && self.first_messages[tool] <= message
    }

    /// Returns `true` if any tool [is pending](Self::is_pending) in `message`.
    pub(super) fn any_pending(&self, message: usize) -> bool {
        self.first_pending.is_some_and(|first| first <= message)
    }

    /// Returns the recorded mentions in a message.
    pub(super) fn mentions_in(&self, message: usize) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().flatten().filter(move |mention| mention.message == message)
    }

    /// Forgets the mentions in a message of tools that are not meant.
    pub(super) fn forget(&mut self, message: usize, is_void: impl Fn(usize) -> bool) {
        for mention in &mut self.mentions {
            mention.take_if(|it| it.message == message && is_void(it.tool));
        }
        self.update();
    }

    /// Records mentions of tools, except those that are not pending.
    pub(super) fn record(&mut self, mentions: impl Iterator<Item = Mention>) {
        for mention in mentions {
            if self.is_pending(mention.tool, mention.message) {
                let tool = mention.tool;
                self.mentions[tool] = Some(mention);
            }
        }
        self.update();
    }

    /// Returns all recorded mentions, in the order of the tools.
    pub(super) fn into_mentions(self) -> Vec<Mention> {
        self.mentions.into_iter().flatten().collect()
    }

    fn update(&mut self) {
        let tools = self.first_messages.iter().zip(&self.mentions);
        self.first_pending = tools.filter(|it| it.1.is_none()).map(|(first, _)| *first).min();
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Mention, MentionTracker, ToolIndex};
    use mynah_core::chat::{Message, Role, ToolCall};

    #[test]
    fn calls_and_results_invalidate_earlier_mentions() {
        let call = ToolCall { id: None, name: "a".to_owned(), arguments: String::new() };
        let messages = [
            Message::new(Role::User, ""),
            Message::new(Role::Assistant { tool_calls: vec![call] }, ""),
            Message::new(Role::Tool { id: None, name: "b".to_owned() }, ""),
            Message::new(Role::User, ""),
        ];
        let index = ToolIndex::of_names(&["a", "b", "c"]);
        let mut tracker = MentionTracker::new(&messages, &index, None);
        let mention = |tool| {
            let (reading, rule) = (Rc::default(), "name");
            Mention { tool, message: 3, reading, sentence: 0..0, clause: 0..0, rule, words: 0..0 }
        };
        let pending =
            |tracker: &MentionTracker, at| [0, 1, 2].map(|tool| tracker.is_pending(tool, at));
        assert_eq!(pending(&tracker, 0), [false, false, true]);
        assert_eq!(pending(&tracker, 3), [true, true, true]);
        assert!(tracker.any_pending(0));
        tracker.record([mention(2)].into_iter());
        assert!(tracker.any_pending(3) && !tracker.any_pending(0));
        tracker.record([mention(0), mention(1)].into_iter());
        assert!(!tracker.any_pending(3));
    }
}
