//! Finds the calls in a history.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use super::{
    CallKey,
    correction::is_correction,
    extract,
    label::{self, CALL, RESULT},
    outcome::{self, LOOP_ENDED},
    wording::FAILED,
};
use crate::chat::{Message, Role, ToolCall};

/// Returns the messages after the latest prompt.
///
/// In the text rendering, results and corrections are also user messages. A result is recognized by
/// the call before it, and a correction is recognized by its text.
pub(in crate::tool_loop) fn since_prompt(history: &[Message]) -> &[Message] {
    let is_prompt = |(index, message): (usize, &Message)| {
        let is_result = || index > 0 && text_call(&history[index - 1]).is_some();
        message.role == Role::User && !is_result() && !is_correction(&message.text())
    };
    let prompt = history.iter().enumerate().rposition(is_prompt);
    &history[prompt.map_or(0, |index| index + 1)..]
}

/// Returns the key of the latest call that ran. Returns `None` if there is no such call, or if the
/// call is truncated or malformed.
pub(super) fn latest_call(history: &[Message]) -> Option<CallKey> {
    let mut skipped = SkippedCalls::default();
    history.iter().rev().find_map(|message| skipped.visit_before(message)).flatten()
}

/// The calls in the preceding message that did not run, according to their results. Used to read a
/// history backwards.
#[derive(Default)]
struct SkippedCalls<'a> {
    /// Call ids, or tool names for calls without an id.
    native: BTreeSet<&'a str>,
    text: bool,
}

impl<'a> SkippedCalls<'a> {
    /// Visits the preceding message. Returns the latest call in it that ran, if any. The inner
    /// value is `None` if the call is truncated or malformed.
    fn visit_before(&mut self, message: &'a Message) -> Option<Option<CallKey>> {
        match &message.role {
            Role::Assistant { tool_calls } => {
                let Self { native, text: is_skipped } = mem::take(self);
                let ran = |call: &&ToolCall| !native.contains(result_id(call));
                match tool_calls.iter().rfind(ran) {
                    Some(call) => Some(Some(CallKey::of(call))),
                    None if is_skipped || !tool_calls.is_empty() => None,
                    None => text_call(message),
                }
            }
            Role::Tool { id, name } => {
                if outcome::is_skipped(name, &message.text()) {
                    self.native.insert(id.as_ref().unwrap_or(name));
                }
                None
            }
            Role::User => {
                self.text = message.text().ends_with(LOOP_ENDED);
                None
            }
            Role::System | Role::Developer => None,
        }
    }
}

/// Returns the id by which a result refers to a call, or the tool name if there is no id.
fn result_id(call: &ToolCall) -> &str {
    call.id.as_ref().unwrap_or(&call.name)
}

/// Returns the call that an assistant message contains as text. The inner value is `None` if the
/// call is truncated or malformed.
fn text_call(message: &Message) -> Option<Option<CallKey>> {
    let is_text = matches!(&message.role, Role::Assistant { tool_calls } if tool_calls.is_empty());
    let is_call = is_text && message.parts.first()?.starts_with(CALL);
    is_call.then(|| extract(message).and_then(|call| call.key()))
}

/// Returns the keys of all calls that succeeded.
pub(super) fn successful_calls(history: &[Message]) -> BTreeSet<CallKey> {
    let mut pending = PendingCalls::default();
    history.iter().filter_map(|message| pending.visit(message)).collect()
}

/// The calls that have no result yet. Used to read a history forwards.
#[derive(Default)]
struct PendingCalls<'a> {
    /// Keyed by call id, or by tool name for calls without an id.
    native: BTreeMap<&'a str, CallKey>,
    text: Option<CallKey>,
}

impl<'a> PendingCalls<'a> {
    /// Visits the next message. Returns the call whose success the message reports, if any.
    fn visit(&mut self, message: &'a Message) -> Option<CallKey> {
        match &message.role {
            Role::Assistant { tool_calls } => {
                let calls = tool_calls.iter().map(|call| (result_id(call), CallKey::of(call)));
                self.native.extend(calls);
                self.text = text_call(message).unwrap_or(self.text.take());
                None
            }
            Role::Tool { id, name } => {
                let key = self.native.remove(id.as_ref().unwrap_or(name).as_str())?;
                outcome::is_success(name, &message.text()).then_some(key)
            }
            Role::User => {
                let key = self.text.take()?;
                let text = message.text();
                let result = label::strip(&text, RESULT).unwrap_or(&text);
                (!result.starts_with(FAILED)).then_some(key)
            }
            Role::System | Role::Developer => None,
        }
    }
}
