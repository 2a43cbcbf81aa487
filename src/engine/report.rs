//! What happened in a session, in words.

use serde_json::Value;

use super::{
    Components,
    decoded::decoded,
    journal::{Entry, READING, Selected},
    lines::Lines,
    verify::{add_nearest, unmatched_call},
};
use crate::base::{
    text::{count, shorten},
    work::{Stopped, Work},
};

/// The maximum number of calls, and of messages of each call. The latest are shown.
const MAX_CALLS: usize = 20;
const MAX_MESSAGES: usize = 50;
/// The maximum number of characters of a text.
const MAX_TEXT: usize = 500;
/// The memory that an entry takes when it is decoded and shown, in its sizes.
const DECODED: usize = 16;

/// Describes the latest calls, with the nearest rules of those that no rule has answered.
///
/// # Errors
///
/// Fails if the work stops early.
pub(crate) fn report(
    session: Option<&str>,
    calls: &Selected,
    components: &Components,
    work: &Work,
) -> Result<String, Stopped> {
    let all = calls.entries.len();
    let shown = calls.entries.get(all.saturating_sub(MAX_CALLS)..).unwrap_or_default();
    let largest = shown.iter().map(|entry| entry.size()).max();
    work.keep_decoded(DECODED * largest.unwrap_or(0))?;
    let mut lines = Lines::default();
    let subject = session.map(|name| format!("session {name:?} has ")).unwrap_or_default();
    let last = if all > MAX_CALLS { format!("; the last {MAX_CALLS} are") } else { String::new() };
    lines.add(0, &format!("{subject}{}{last}", count(all, "call")));
    for entry in shown {
        add_call(&mut lines, entry, calls, components, work)?;
    }
    let text = lines.into_text();
    work.keep(text.len())?;
    Ok(text)
}

fn add_call(
    lines: &mut Lines,
    entry: &Entry,
    calls: &Selected,
    components: &Components,
    work: &Work,
) -> Result<(), Stopped> {
    work.spend(READING.saturating_mul(entry.size()).saturating_mul(2))?;
    let request = decoded(entry, components, &calls.redactor);
    let json = entry.to_normalized_json(request, &calls.redactor);
    lines.add(0, &heading(&json));
    add_messages(lines, list(&json["messages"]));
    let tools: Vec<_> = list(&json["tools"]).iter().map(|tool| text(&tool["name"])).collect();
    if !tools.is_empty() {
        lines.add(1, &format!("tools: {}", shorten(&tools.join(", "), MAX_TEXT)));
    }
    if json["response"].is_object() {
        lines.add(1, &format!("answer: {}", said(&json["response"])));
    }
    if json["error"].is_object() {
        let (code, message) = (text(&json["error"]["code"]), text(&json["error"]["message"]));
        lines.add(1, &format!("error: {code}: {}", shorten(message, MAX_TEXT)));
    }
    if let Some(call) = unmatched_call(entry, calls, components, work)? {
        add_nearest(lines, &call);
    }
    Ok(())
}

fn add_messages(lines: &mut Lines, messages: &[Value]) {
    let earlier = messages.len().saturating_sub(MAX_MESSAGES);
    if earlier > 0 {
        lines.add(1, &format!("{} before", count(earlier, "message")));
    }
    for message in messages.iter().skip(earlier) {
        lines.add(1, &format!("{}: {}", text(&message["role"]), said(message)));
    }
}

fn heading(call: &Value) -> String {
    let by: Vec<_> = list(&call["answered_by"]).iter().map(source).collect();
    let by = if by.is_empty() { "no rule".to_owned() } else { by.join(", ") };
    let (number, component) = (&call["number"], text(&call["component"]));
    let (outcome, duration) = (text(&call["outcome"]), &call["duration_ms"]);
    format!("call {number} to {component} ({outcome}, {duration} ms, {by})")
}

/// Says what made a turn of an answer.
fn source(answer: &Value) -> String {
    match answer["rule"].as_str() {
        Some(rule) => rule.to_owned(),
        None if answer["fault"] == true => "a fault".to_owned(),
        None if answer["missed"] == true => "not recorded".to_owned(),
        None => "an instruction chain".to_owned(),
    }
}

/// Returns the text and the tool calls of a message.
fn said(message: &Value) -> String {
    let mut said = shorten(text(&message["text"]), MAX_TEXT).into_owned();
    for call in list(&message["tool_calls"]) {
        let (name, arguments) = (text(&call["name"]), text(&call["arguments"]));
        let space = if said.is_empty() { "" } else { " " };
        said += &format!("{space}calls {name} with {}", shorten(arguments, MAX_TEXT));
    }
    said
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
