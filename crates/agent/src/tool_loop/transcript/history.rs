//! Finds the calls in a history.

use std::collections::BTreeMap;

use mynah_core::chat::{Message, Role};

use super::{
    CallKey, CallReader,
    label::{self, CALL, RESULT},
    outcome::{Fate, fate_in_text, is_correction, native_fate},
};

/// A call in a history.
#[derive(Debug)]
pub(super) struct PastCall {
    /// Identifies the call. `None` if the call is truncated or malformed.
    pub(super) key: Option<CallKey>,
    /// The call as it is written. `None` for a native call.
    pub(super) text: Option<String>,
    pub(super) fate: Fate,
}

/// Returns the messages after the latest prompt.
///
/// In the text rendering, results and corrections are also user messages. A result is recognized by
/// the call before it, and a correction is recognized by its text.
pub(crate) fn since_prompt(history: &[Message]) -> &[Message] {
    let (mut start, mut expected_results) = (0, 0);
    for (index, message) in history.iter().enumerate() {
        if message.role != Role::User {
            expected_results = text_calls(message, &CallReader::default()).len();
        } else if expected_results > 0 {
            expected_results -= 1;
        } else if !is_correction(&message.text()) {
            start = index + 1;
        }
    }
    &history[start..]
}

/// Returns the latest call that ran.
pub(super) fn latest_call(calls: &[PastCall]) -> Option<&PastCall> {
    calls.iter().rfind(|call| call.fate != Fate::NotRun)
}

/// Returns the calls in a history, in order, with what their results report.
pub(super) fn past_calls(history: &[Message], reader: &CallReader) -> Vec<PastCall> {
    let mut calls = Vec::new();
    // The calls without a result: by call id, or by tool name for calls without an id; and those
    // written as text, whose results follow in the same order.
    let (mut native, mut in_text) = (BTreeMap::new(), 0..0);
    for message in history {
        match &message.role {
            Role::Assistant { tool_calls } => {
                for call in tool_calls {
                    native.insert(call.id.as_ref().unwrap_or(&call.name), calls.len());
                    calls.push(PastCall::new(Some(CallKey::of(call)), None));
                }
                let first = calls.len();
                calls.extend(text_calls(message, reader));
                in_text = first..calls.len();
            }
            Role::Tool { id, name } => {
                if let Some(index) = native.remove(id.as_ref().unwrap_or(name)) {
                    calls[index].fate = native_fate(name, &message.text());
                }
            }
            Role::User => {
                if let Some(index) = in_text.next() {
                    let text = message.text();
                    calls[index].fate = fate_in_text(label::strip(&text, RESULT).unwrap_or(&text));
                }
            }
            Role::System | Role::Developer => {}
        }
    }
    calls
}

impl PastCall {
    fn new(key: Option<CallKey>, text: Option<&str>) -> Self {
        Self { key, text: text.map(str::to_owned), fate: Fate::Unknown }
    }
}

/// Returns the calls that an assistant message contains as text. A call that is malformed or whose
/// values have line breaks is the whole message.
fn text_calls(message: &Message, reader: &CallReader) -> Vec<PastCall> {
    if !matches!(&message.role, Role::Assistant { tool_calls } if tool_calls.is_empty()) {
        return Vec::new();
    }
    let (calls, text) = (reader.read_all(message), message.text());
    if calls.is_empty() {
        let starts_with_call = message.parts.first().is_some_and(|part| part.starts_with(CALL));
        return Vec::from_iter(starts_with_call.then(|| PastCall::new(None, Some(&text))));
    }
    // A line break at the end of the message may belong to the last value.
    let whole = text.trim_end_matches('\n');
    if let ([call], false) = (calls.as_slice(), whole.contains('\n')) {
        return vec![PastCall::new(call.key(), Some(&text))];
    }
    let mut lines: Vec<_> = whole.rsplit('\n').take(calls.len()).collect();
    lines.reverse();
    let calls = calls.iter().zip(lines);
    calls.map(|(call, line)| PastCall::new(call.key(), Some(line))).collect()
}
