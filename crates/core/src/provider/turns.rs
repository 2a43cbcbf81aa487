//! Counts the turns of the model in a history.

use crate::chat::{Message, Role};

/// Counts assistant turns. Each assistant message is a turn, with one exception: some clients store
/// the calls of a turn in a separate message directly after the text.
pub fn count_turns<'a>(messages: impl Iterator<Item = &'a Message>) -> usize {
    let mut after_assistant = false;
    let mut turns = 0;
    for message in messages {
        let Role::Assistant { tool_calls } = &message.role else {
            after_assistant = false;
            continue;
        };
        let only_calls = !tool_calls.is_empty() && message.parts.iter().all(String::is_empty);
        turns += usize::from(!(only_calls && after_assistant));
        after_assistant = true;
    }
    turns
}
