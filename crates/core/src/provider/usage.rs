//! Estimates token usage: four bytes per token, and at least one token per text. Cuts texts to the
//! token limit of a request.

use crate::chat::{Message, Request, Role, ToolCall, Usage};

const BYTES_PER_TOKEN: usize = 4;

/// Estimates the token usage of a reply to `messages`.
pub fn estimate(messages: &[Message], content: &str, calls: &[ToolCall]) -> Usage {
    let is_only_user = matches!(messages, [Message { role: Role::User, .. }]);
    let texts = messages.iter().map(Message::text_len).filter(|len| *len > 0 || is_only_user);
    let calls_len: usize = calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
    Usage {
        prompt_tokens: texts.map(tokens).sum(),
        completion_tokens: tokens(content.len() + calls_len),
        ..Usage::default()
    }
}

/// Cuts a text after the tokens that a request allows. Returns `true` if the text was longer.
pub fn limit(text: &mut String, request: &Request) -> bool {
    let max_tokens = request.max_tokens.and_then(|max| usize::try_from(max).ok());
    let Some(max_tokens) = max_tokens.filter(|max| *max > 0) else { return false };
    let max_bytes = max_tokens.saturating_mul(BYTES_PER_TOKEN);
    let is_longer = text.len() > max_bytes;
    text.truncate(text.floor_char_boundary(max_bytes));
    is_longer
}

/// Estimates the tokens of a text.
pub fn tokens(bytes: usize) -> u64 {
    ((bytes / BYTES_PER_TOKEN) as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let history = [
            Message::new(Role::User, ""),
            Message { role: Role::User, name: None, parts: vec![], attachments: Vec::new() },
        ];
        assert_eq!(estimate(&history, "", &[]).prompt_tokens, 0);
        assert_eq!(estimate(&[Message::new(Role::System, "")], "", &[]).prompt_tokens, 0);
    }

    #[test]
    fn an_empty_user_message_counts_if_it_is_the_only_message() {
        assert_eq!(estimate(&[Message::new(Role::User, "")], "", &[]).prompt_tokens, 1);
    }

    #[test]
    fn parts_count_with_the_line_breaks_between_them() {
        let parts = vec!["abcd".into(), "efg".into()];
        let history = [Message { role: Role::User, name: None, parts, attachments: Vec::new() }];
        assert_eq!(estimate(&history, "", &[]).prompt_tokens, 2);
    }

    #[test]
    fn calls_are_counted_together() {
        let calls = [call("abc", "{}"), call("def", "{}")];
        assert_eq!(estimate(&[], "", &calls).completion_tokens, 2);
    }
}
