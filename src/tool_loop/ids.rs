//! Ids of calls, each of which a conversation has once.

use std::collections::BTreeSet;

use crate::chat::{Message, Role, ToolCall};

/// The ids that a conversation has, and the number of its next turn.
#[derive(Debug)]
pub(super) struct CallIds {
    taken: BTreeSet<String>,
    turns: usize,
}

impl CallIds {
    pub(super) fn of(history: &[Message]) -> Self {
        let calls_of = |message| match message {
            &Message { role: Role::Assistant { ref tool_calls }, .. } => Some(tool_calls),
            _ => None,
        };
        let calls = history.iter().filter_map(calls_of).flatten();
        Self {
            taken: calls.filter_map(|call| call.id.clone()).collect(),
            turns: history.iter().filter_map(calls_of).count(),
        }
    }

    /// Gives the calls of the next turn an id where they have none of their own.
    pub(super) fn number(&mut self, calls: &mut [ToolCall]) {
        self.turns += 1;
        for (call, place) in calls.iter_mut().zip(1..) {
            let own = call.id.take().filter(|id| !id.is_empty() && !self.taken.contains(id));
            let id = own.unwrap_or_else(|| self.free(place));
            self.taken.insert(id.clone());
            call.id = Some(id);
        }
    }

    fn free(&self, place: usize) -> String {
        let numbered = |place| format!("tool-call-{}-{place}", self.turns);
        // A history may hold such ids already.
        let mut id = numbered(place);
        for next in place + 1.. {
            if !self.taken.contains(&id) {
                break;
            }
            id = numbered(next);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: Option<&str>) -> ToolCall {
        ToolCall { id: id.map(Into::into), name: "f".into(), arguments: "{}".into() }
    }

    fn numbered(history: &[Message], ids: &[Option<&str>]) -> Vec<String> {
        let mut calls: Vec<_> = ids.iter().copied().map(call).collect();
        CallIds::of(history).number(&mut calls);
        calls.into_iter().filter_map(|call| call.id).collect()
    }

    #[test]
    fn only_what_is_missing_or_repeated_is_replaced() {
        let ids = [Some("a"), Some(""), None, Some("a"), Some("b")];
        let expected = ["a", "tool-call-1-2", "tool-call-1-3", "tool-call-1-4", "b"];
        assert_eq!(numbered(&[], &ids), expected);
    }

    #[test]
    fn the_history_counts() {
        let earlier = ["0", "tool-call-2-1"].map(|id| call(Some(id)));
        let role = Role::Assistant { tool_calls: earlier.into() };
        let history = [Message::new(Role::User, "hi"), Message::new(role, "")];
        assert_eq!(numbered(&history, &[Some("0"), None]), ["tool-call-2-2", "tool-call-2-3"]);
    }
}
