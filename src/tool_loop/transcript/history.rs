//! The calls that a history holds.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CallKey, extract,
    label::{self, CALL, RESULT},
    outcome,
    wording::FAILED,
};
use crate::chat::{Message, Role};

/// The key of the latest call, if that has one: a call that is truncated or malformed has none.
pub(super) fn latest(history: &[Message]) -> Option<CallKey> {
    history.iter().rev().find_map(last_of).flatten()
}

fn last_of(message: &Message) -> Option<Option<CallKey>> {
    let Role::Assistant { tool_calls } = &message.role else { return None };
    match tool_calls.last() {
        Some(call) => Some(Some(CallKey::of(call))),
        None => written(message),
    }
}

/// The call that a message of the assistant is, in text.
fn written(message: &Message) -> Option<Option<CallKey>> {
    let is_call = message.parts.first()?.starts_with(CALL);
    is_call.then(|| extract(message).and_then(|call| call.key()))
}

/// The calls that went well.
pub(super) fn successful(history: &[Message]) -> BTreeSet<CallKey> {
    let mut waiting = Waiting::default();
    history.iter().filter_map(|message| waiting.next(message)).collect()
}

/// Calls whose results are still to come.
#[derive(Default)]
struct Waiting<'a> {
    /// By id, or by the tool's name where there is none.
    native: BTreeMap<&'a str, CallKey>,
    written: Option<CallKey>,
}

impl<'a> Waiting<'a> {
    /// Reads the next message; gives the call whose success it reports.
    fn next(&mut self, message: &'a Message) -> Option<CallKey> {
        match &message.role {
            Role::Assistant { tool_calls } => {
                let ids = tool_calls.iter().map(|call| call.id.as_ref().unwrap_or(&call.name));
                let keys = tool_calls.iter().map(CallKey::of);
                self.native.extend(ids.map(String::as_str).zip(keys));
                self.written = written(message).unwrap_or(self.written.take());
                None
            }
            Role::Tool { id, name } => {
                let key = self.native.remove(id.as_ref().unwrap_or(name).as_str())?;
                outcome::is_success(name, &message.text()).then_some(key)
            }
            Role::User => {
                let key = self.written.take()?;
                let text = message.text();
                let result = label::strip(&text, RESULT).unwrap_or(&text);
                (!result.starts_with(FAILED)).then_some(key)
            }
            Role::System | Role::Developer => None,
        }
    }
}
