//! Finds the chain of a history, and how far the history is in it. Looks at each text once.

use std::ops::Range;

use serde_json::value::RawValue;

use super::{Chain, Mistake, tags};
use crate::chat::{Message, Role};

/// The chain that is in force.
pub(super) struct Found {
    pub(super) chain: Chain,
    /// The message that holds it, counted from 1.
    pub(super) message: usize,
    /// The assistant's turns since then: the index of the step to run.
    pub(super) turns: usize,
}

/// The chain of the latest message of the user that holds one. What is between tags and is no JSON
/// object is passed over.
pub(super) fn find(messages: &[Message]) -> Result<Option<Found>, Mistake> {
    let mut passed_over = PassedOver::default();
    let found = messages.iter().enumerate().rev().find_map(|(index, message)| {
        let texts = matches!(message.role, Role::User).then_some(&message.parts);
        let object = texts?.iter().find_map(|text| {
            objects(text, |why| passed_over.note(index + 1, why)).next().map(|(_, object)| object)
        })?;
        Some((index, object))
    });
    passed_over.log();
    let Some((index, object)) = found else { return Ok(None) };
    let message = index + 1;
    let chain = Chain::read(object)
        .map_err(|mistake| mistake.within(format!("chain in message {message}")))?;
    Ok(Some(Found { chain, message, turns: turns(&messages[message..]) }))
}

/// Where a text holds what counts as a chain.
pub(super) fn places(text: &str) -> Vec<Range<usize>> {
    objects(text, |_| {}).map(|(place, _)| place).collect()
}

/// The blocks of a text that are JSON objects; `skip` hears of the others.
fn objects(
    text: &str,
    mut skip: impl FnMut(String),
) -> impl Iterator<Item = (Range<usize>, &RawValue)> {
    tags::blocks(text).into_iter().filter_map(move |block| {
        match serde_json::from_str::<&RawValue>(&text[block.clone()]) {
            Ok(value) if value.get().starts_with('{') => return Some((block, value)),
            Ok(_) => skip("not an object".to_owned()),
            Err(error) => skip(error.to_string()),
        }
        None
    })
}

/// Each assistant message is a turn; but some clients store the calls of a turn in a message of
/// their own, right after its text.
fn turns(messages: &[Message]) -> usize {
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

/// A history may have very many blocks that are no chain: one line tells of all.
#[derive(Default)]
struct PassedOver {
    count: usize,
    latest: Option<(usize, String)>,
}

impl PassedOver {
    fn note(&mut self, message: usize, why: String) {
        self.count += 1;
        self.latest.get_or_insert((message, why));
    }

    fn log(self) {
        if let Self { count, latest: Some((message, why)) } = self {
            tracing::warn!(
                count,
                message,
                why,
                "passed over between instruction tags: no JSON object"
            );
        }
    }
}

impl Chain {
    /// The chain that a text of the user's holds between tags: the first JSON object. `None` where
    /// there is none.
    pub fn in_text(text: &str) -> Option<Result<Self, Mistake>> {
        objects(text, |_| {}).next().map(|(_, object)| Self::read(object))
    }
}
