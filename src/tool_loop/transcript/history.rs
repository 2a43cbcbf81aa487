//! The calls that a history holds.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use super::{
    CallKey,
    duplicates::is_correction,
    extract,
    label::{self, CALL, RESULT},
    outcome::{self, ENDED},
    wording::FAILED,
};
use crate::chat::{Message, Role, ToolCall};

/// What came after the latest prompt. In text, results and corrections are messages of the user,
/// too: the ones follow a call, the others have words of their own.
pub(in crate::tool_loop) fn since_prompt(history: &[Message]) -> &[Message] {
    let is_prompt = |(at, message): (usize, &Message)| {
        let is_result = || at > 0 && written(&history[at - 1]).is_some();
        message.role == Role::User && !is_result() && !is_correction(&message.text())
    };
    let prompt = history.iter().enumerate().rposition(is_prompt);
    &history[prompt.map_or(0, |at| at + 1)..]
}

/// The key of the latest call that was run, if that has one: a call that is truncated or malformed
/// has none.
pub(super) fn latest(history: &[Message]) -> Option<CallKey> {
    let mut left_out = LeftOut::default();
    history.iter().rev().find_map(|message| left_out.before(message)).flatten()
}

/// Calls of the message before that were left out, as their results tell.
#[derive(Default)]
struct LeftOut<'a> {
    /// By id, or by the tool's name where there is none.
    native: BTreeSet<&'a str>,
    written: bool,
}

impl<'a> LeftOut<'a> {
    /// Reads the message before; gives the latest of its calls that was run.
    fn before(&mut self, message: &'a Message) -> Option<Option<CallKey>> {
        match &message.role {
            Role::Assistant { tool_calls } => {
                let Self { native, written: is_left_out } = mem::take(self);
                let is_run = |call: &&ToolCall| !native.contains(id_of(call));
                match tool_calls.iter().rfind(is_run) {
                    Some(call) => Some(Some(CallKey::of(call))),
                    None if is_left_out || !tool_calls.is_empty() => None,
                    None => written(message),
                }
            }
            Role::Tool { id, name } => {
                if outcome::is_left_out(name, &message.text()) {
                    self.native.insert(id.as_ref().unwrap_or(name));
                }
                None
            }
            Role::User => {
                self.written = message.text().ends_with(ENDED);
                None
            }
            Role::System | Role::Developer => None,
        }
    }
}

/// What a result names of its call.
fn id_of(call: &ToolCall) -> &str {
    call.id.as_ref().unwrap_or(&call.name)
}

/// The call that a message of the assistant is, in text.
fn written(message: &Message) -> Option<Option<CallKey>> {
    let is_text = matches!(&message.role, Role::Assistant { tool_calls } if tool_calls.is_empty());
    let is_call = is_text && message.parts.first()?.starts_with(CALL);
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
                let calls = tool_calls.iter().map(|call| (id_of(call), CallKey::of(call)));
                self.native.extend(calls);
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
