//! Unique ids for tool calls.

use std::collections::BTreeSet;

use mynah_core::chat::{Message, Role, ToolCall};

/// The call ids in a conversation, and the number of turns so far.
#[derive(Debug)]
pub(super) struct CallIds {
    taken: BTreeSet<String>,
    turns: usize,
}

impl CallIds {
    /// Collects the ids in a history.
    pub(super) fn in_history(history: &[Message]) -> Self {
        let calls = history.iter().flat_map(Message::tool_calls);
        let is_turn = |message: &&Message| matches!(message.role, Role::Assistant { .. });
        Self {
            taken: calls.filter_map(|call| call.id.clone()).collect(),
            turns: history.iter().filter(is_turn).count(),
        }
    }

    /// Starts the next turn. Assigns an id to each call whose id is missing, empty or already
    /// taken.
    pub(super) fn assign(&mut self, calls: &mut [ToolCall]) {
        self.turns += 1;
        for (call, number) in calls.iter_mut().zip(1..) {
            let own = call.id.take().filter(|id| !id.is_empty() && !self.taken.contains(id));
            let id = own.unwrap_or_else(|| self.unused_id(number));
            self.taken.insert(id.clone());
            call.id = Some(id);
        }
    }

    /// Returns `tool-call-<turn>-<number>`. If this id is taken, uses the next number that is free.
    fn unused_id(&self, number: usize) -> String {
        let mut ids = (number..).map(|number| format!("tool-call-{}-{number}", self.turns));
        ids.find(|id| !self.taken.contains(id)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: Option<&str>) -> ToolCall {
        ToolCall { id: id.map(Into::into), name: "f".into(), arguments: "{}".into() }
    }

    fn assigned(history: &[Message], ids: &[Option<&str>]) -> Vec<String> {
        let mut calls: Vec<_> = ids.iter().copied().map(call).collect();
        CallIds::in_history(history).assign(&mut calls);
        calls.into_iter().filter_map(|call| call.id).collect()
    }

    #[test]
    fn replaces_missing_empty_and_repeated_ids() {
        let ids = [Some("a"), Some(""), None, Some("a"), Some("b")];
        let expected = ["a", "tool-call-1-2", "tool-call-1-3", "tool-call-1-4", "b"];
        assert_eq!(assigned(&[], &ids), expected);
    }

    #[test]
    fn avoids_ids_in_the_history() {
        let earlier = ["0", "tool-call-2-1"].map(|id| call(Some(id)));
        let role = Role::Assistant { tool_calls: earlier.into() };
        let history = [Message::new(Role::User, "hi"), Message::new(role, "")];
        assert_eq!(assigned(&history, &[Some("0"), None]), ["tool-call-2-2", "tool-call-2-3"]);
    }
}
