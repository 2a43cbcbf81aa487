//! Finds the calls in a history, and the texts that report how a call ended.

use std::collections::BTreeMap;

use mynah_core::chat::{Message, Role};

use super::{
    CallKey, CallReader,
    call::{CALL, FAILED, FAILED_BECAUSE, RESULT, display_name, strip_label},
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
                    calls[index].fate = fate_in_text(strip_label(&text, RESULT).unwrap_or(&text));
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

/// What a result in a history reports about its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// There is no result.
    Unknown,
    /// The call did not run, but may run if it is repeated.
    NotRun,
    /// The call failed.
    Failed,
    /// The call was interrupted and may have taken effect.
    Interrupted,
    /// The call succeeded.
    Done,
}

/// Returns what a tool message reports about its call.
fn native_fate(name: &str, text: &str) -> Fate {
    match text.strip_prefix(&error_executing(name)) {
        Some(error) => fate_of(error),
        None if text == correction_text(name) => Fate::NotRun,
        None if text == not_found(name) => Fate::Failed,
        None => Fate::Done,
    }
}

/// Returns what a result in the text rendering reports about its call.
fn fate_in_text(text: &str) -> Fate {
    match text.strip_prefix(FAILED) {
        Some(error) => fate_of(error.split_once(FAILED_BECAUSE).map_or(error, |(_, error)| error)),
        None if is_correction(text) => Fate::NotRun,
        None => Fate::Done,
    }
}

fn fate_of(error: &str) -> Fate {
    match error {
        NOT_RUN | CIRCUIT_OPEN => Fate::NotRun,
        INTERRUPTED => Fate::Interrupted,
        _ => Fate::Failed,
    }
}

/// The error of a call that did not start because the loop ended. [`native_fate`] and
/// [`fate_in_text`] recognize this error and the next two in a history.
pub(crate) const NOT_RUN: &str = "the call did not run because the tool loop ended";
/// The error of a call that was running when the loop ended.
pub(crate) const INTERRUPTED: &str =
    "the call was interrupted because the tool loop ended; it may have taken effect";
/// The error of a call to a tool whose circuit breaker is open.
pub(crate) const CIRCUIT_OPEN: &str = "circuit open after repeated failures; try again later";

/// Returns the error for a call to an unknown tool.
pub(crate) fn not_found(name: &str) -> String {
    format!("Tool '{name}' not found")
}

/// Returns the prefix of every error for a call to a known tool.
pub(crate) fn error_executing(name: &str) -> String {
    format!("Error executing {name}: ")
}

/// The parts of a correction before and after the tool name.
const CORRECTION: [&str; 2] = [
    "You just called the ",
    " tool with the exact same parameters as your previous action. Please try a different approach or use different parameters instead.",
];

/// Returns the user message that answers a duplicate call.
///
/// ```
/// use mynah_agent::tool_loop::transcript::correction;
/// let text = "You just called the Google Search tool with the exact same parameters as your \
///             previous action. Please try a different approach or use different parameters instead.";
/// assert_eq!(correction("google_search").text(), text);
/// ```
pub fn correction(name: &str) -> Message {
    Message::new(Role::User, correction_text(name))
}

/// Returns the text of a [`correction`].
pub(crate) fn correction_text(name: &str) -> String {
    correction_for(&display_name(name))
}

/// Returns the text of a correction that contains `name` unchanged.
pub(super) fn correction_for(name: &str) -> String {
    let [before, after] = CORRECTION;
    format!("{before}{name}{after}")
}

/// Returns `true` if `text` is a [`correction`] for any tool.
fn is_correction(text: &str) -> bool {
    let [before, after] = CORRECTION;
    text.starts_with(before) && text.ends_with(after)
}
