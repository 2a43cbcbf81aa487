//! Tokens, at four bytes each and at least one.

use crate::chat::{Message, ToolCall, Usage};

/// What a reply to `messages` would have cost.
pub(super) fn usage(messages: &[Message], content: &str, calls: &[ToolCall]) -> Usage {
    let texts = messages.iter().map(Message::text_len).filter(|len| *len > 0);
    let called: usize = calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
    Usage {
        prompt_tokens: texts.map(tokens).sum(),
        completion_tokens: tokens(content.len() + called),
        reasoning_tokens: 0,
    }
}

fn tokens(bytes: usize) -> u64 {
    (bytes as u64 / 4).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Role;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: None, name: name.into(), arguments: arguments.into() }
    }

    #[test]
    fn four_bytes_are_a_token_and_one_is_the_least() {
        let history = [Message::new(Role::System, "be brief"), Message::new(Role::User, "hi")];
        let usage = usage(&history, "hello there!", &[]);
        assert_eq!((usage.prompt_tokens, usage.completion_tokens), (2 + 1, 3));
        assert_eq!(usage.total_tokens(), 6);
    }

    #[test]
    fn empty_messages_cost_nothing() {
        let history =
            [Message::new(Role::User, ""), Message { role: Role::User, name: None, parts: vec![] }];
        assert_eq!(usage(&history, "", &[]).prompt_tokens, 0);
    }

    #[test]
    fn parts_count_with_the_breaks_between_them() {
        let parts = vec!["abcd".into(), "efg".into()];
        let history = [Message { role: Role::User, name: None, parts }];
        assert_eq!(usage(&history, "", &[]).prompt_tokens, 2);
    }

    #[test]
    fn calls_count_together() {
        let calls = [call("abc", "{}"), call("def", "{}")];
        assert_eq!(usage(&[], "", &calls).completion_tokens, 2);
    }
}
