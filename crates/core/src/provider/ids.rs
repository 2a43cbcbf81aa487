//! Assigns ids to tool calls. The ids depend only on the component's name and the conversation.

use std::hash::Hasher;

use twox_hash::XxHash3_64;

use crate::chat::{Message, Role, ToolCall};

/// The smallest number in an id. The numbers look like Unix times in nanoseconds, and this one is
/// in November 2023.
const BASE: u64 = 1_700_000_000_000_000_000;
const SPAN: u64 = 100_000_000_000_000_000;

/// Assigns ids to the calls in a reply that have none. Ids are consecutive within a reply and
/// differ between turns.
pub fn assign(component: &str, messages: &[Message], calls: &mut [ToolCall]) {
    if calls.iter().all(|call| call.id.is_some()) {
        return;
    }
    let first = BASE + conversation_hash(component, messages) % SPAN;
    for (index, call) in (0_u64..).zip(calls) {
        call.id.get_or_insert_with(|| format!("call_echo_{}", first + index));
    }
}

/// Returns a hash of a component's name and a history.
pub fn conversation_hash(component: &str, messages: &[Message]) -> u64 {
    let mut hashed = Vec::with_capacity(messages.iter().map(|it| it.text_len() + 32).sum());
    write(&mut hashed, component);
    for message in messages {
        write_message(&mut hashed, message);
    }
    // Hashing everything at once is faster than hashing piece by piece.
    XxHash3_64::oneshot(&hashed)
}

/// A hash of messages, one after the other.
#[derive(Default)]
pub struct HistoryHash {
    hasher: XxHash3_64,
    message: Vec<u8>,
}

impl HistoryHash {
    /// Adds a message.
    pub fn add(&mut self, message: &Message) {
        self.message.clear();
        write_message(&mut self.message, message);
        self.hasher.write(&self.message);
    }

    /// Returns the hash of the messages so far.
    pub fn value(&self) -> u64 {
        self.hasher.finish()
    }
}

fn write_message(hashed: &mut Vec<u8>, message: &Message) {
    match &message.role {
        Role::Developer => hashed.push(1),
        Role::System => hashed.push(2),
        Role::User => hashed.push(3),
        Role::Assistant { tool_calls } => {
            hashed.push(4);
            write_len(hashed, tool_calls.len());
            for call in tool_calls {
                write(hashed, call.id.as_deref().unwrap_or_default());
                write(hashed, &call.name);
            }
        }
        Role::Tool { id, name } => {
            hashed.push(5);
            write(hashed, id.as_deref().unwrap_or_default());
            write(hashed, name);
        }
    }
    write_len(hashed, message.parts.len());
    message.parts.iter().for_each(|part| write(hashed, part));
}

/// Writes a text and its length, so that the boundaries between texts affect the hash.
fn write(hashed: &mut Vec<u8>, text: &str) {
    write_len(hashed, text.len());
    hashed.extend_from_slice(text.as_bytes());
}

/// Writes a length in little-endian order, so that ids are the same on every machine.
fn write_len(hashed: &mut Vec<u8>, len: usize) {
    hashed.extend_from_slice(&(len as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(component: &str, messages: &[Message]) -> Vec<String> {
        let call = ToolCall { id: None, name: "f".into(), arguments: "{}".into() };
        let mut calls = [call.clone(), call];
        assign(component, messages, &mut calls);
        calls.into_iter().filter_map(|call| call.id).collect()
    }

    #[test]
    fn ids_are_pinned() {
        let history = [Message::new(Role::User, "what is the weather?")];
        let expected = ["call_echo_1772356413635210982", "call_echo_1772356413635210983"];
        assert_eq!(ids("echo", &history), expected);
    }

    proptest! {
        #[test]
        fn ids_have_nineteen_digits_and_are_consecutive(text in ".{0,20}") {
            let ids = ids("echo", &[Message::new(Role::User, text)]);
            let number = |id: &String| id.strip_prefix("call_echo_").unwrap().parse::<u64>();
            prop_assert_eq!(number(&ids[0]).unwrap() + 1, number(&ids[1]).unwrap());
            prop_assert!(ids.iter().all(|id| id.len() == "call_echo_".len() + 19));
        }

        #[test]
        fn ids_depend_on_the_boundaries_of_parts(text in "[a-z]{2,8}", at in 1_usize..7) {
            prop_assume!(at < text.len());
            let (left, right) = text.split_at(at);
            let parts = vec![left.to_owned(), right.to_owned()];
            let cut = Message { role: Role::User, name: None, parts, attachments: Vec::new() };
            prop_assert_ne!(ids("echo", &[cut]), ids("echo", &[Message::new(Role::User, &*text)]));
        }
    }

    #[test]
    fn keeps_existing_ids_and_counts_them() {
        let call = |id: Option<&str>| ToolCall {
            id: id.map(Into::into),
            name: "f".into(),
            arguments: "{}".into(),
        };
        let mut calls = [call(Some("mine")), call(None)];
        let history = [Message::new(Role::User, "what is the weather?")];
        assign("echo", &history, &mut calls);
        let ids = calls.map(|call| call.id.unwrap());
        assert_eq!(ids, ["mine", "call_echo_1772356413635210983"]);
    }

    #[test]
    fn calls_and_texts_hash_differently() {
        let called = ToolCall { id: Some("a".into()), name: "b".into(), arguments: "".into() };
        let message = |tool_calls, parts: &[&str]| Message {
            role: Role::Assistant { tool_calls },
            name: None,
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
            attachments: Vec::new(),
        };
        let calls = [message(vec![called], &[])];
        assert_ne!(ids("echo", &calls), ids("echo", &[message(vec![], &["a", "b"])]));
    }

    #[test]
    fn ids_depend_on_component_and_turn() {
        let first = vec![Message::new(Role::User, "hi")];
        let mut second = first.clone();
        second.push(Message::new(Role::System, ""));
        assert_ne!(ids("echo", &first), ids("other", &first));
        assert_ne!(ids("echo", &first), ids("echo", &second));
    }
}
