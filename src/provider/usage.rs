//! Estimates token usage: four bytes per token, and at least one token per text.

use crate::chat::{Message, ToolCall, Usage};

/// Estimates the token usage of a reply to `messages`.
pub(super) fn estimate(messages: &[Message], content: &str, calls: &[ToolCall]) -> Usage {
    let texts = messages.iter().map(Message::text_len).filter(|len| *len > 0);
    let calls_len: usize = calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
    Usage {
        prompt_tokens: texts.map(tokens).sum(),
        completion_tokens: tokens(content.len() + calls_len),
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
    fn counts_four_bytes_as_a_token_and_at_least_one() {
        let history = [Message::new(Role::System, "be brief"), Message::new(Role::User, "hi")];
        let usage = estimate(&history, "hello there!", &[]);
        assert_eq!((usage.prompt_tokens, usage.completion_tokens), (2 + 1, 3));
        assert_eq!(usage.total_tokens(), 6);
    }

    #[test]
    fn empty_messages_count_as_no_token() {
        let history =
            [Message::new(Role::User, ""), Message { role: Role::User, name: None, parts: vec![] }];
        assert_eq!(estimate(&history, "", &[]).prompt_tokens, 0);
    }

    #[test]
    fn parts_count_with_the_line_breaks_between_them() {
        let parts = vec!["abcd".into(), "efg".into()];
        let history = [Message { role: Role::User, name: None, parts }];
        assert_eq!(estimate(&history, "", &[]).prompt_tokens, 2);
    }

    #[test]
    fn calls_are_counted_together() {
        let calls = [call("abc", "{}"), call("def", "{}")];
        assert_eq!(estimate(&[], "", &calls).completion_tokens, 2);
    }
}
