//! What differs between two answers.

use serde_json::Value;

use crate::{
    base::{json_schema::Schema, word_diff::word_diff},
    chat::{Choice, FinishReason, Request, Response, ToolCall},
    cli::args::Aspect,
    provider::ProviderError,
};

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) aspect: Aspect,
    /// What differs, for people.
    pub(super) what: String,
}

/// Returns what differs between a recorded answer and a new one.
pub(super) fn changes(
    request: &Request,
    recorded: &Result<Response, ProviderError>,
    answer: &Response,
) -> Vec<Change> {
    let Ok(recorded) = recorded else {
        let what = "the recorded call failed; now there is an answer".to_owned();
        return vec![Change { aspect: Aspect::Finish, what }];
    };
    let [recorded, answer] = [recorded, answer].map(choices);
    let none = Choice { finish_reason: FinishReason::from("none"), ..Choice::default() };
    let mut changes = Vec::new();
    for at in 0..recorded.len().max(answer.len()) {
        let [old, new] = [&recorded, &answer].map(|choices| choices.get(at).unwrap_or(&none));
        let choice = if at > 0 { format!("choice {}: ", at + 1) } else { String::new() };
        let of_choice = changes_of_choice(request, old, new).into_iter();
        changes.extend(of_choice.map(|it| Change { what: format!("{choice}{}", it.what), ..it }));
    }
    changes
}

fn choices(response: &Response) -> Vec<Choice> {
    let mut choices = vec![Choice::from(response.clone())];
    choices.extend_from_slice(&response.others);
    choices
}

fn changes_of_choice(request: &Request, recorded: &Choice, answer: &Choice) -> Vec<Change> {
    let (old, new) = (recorded.finish_reason.as_str(), answer.finish_reason.as_str());
    let finish = (old != new).then(|| format!("{old} → {new}"));
    let text = (recorded.content != answer.content).then(|| {
        let [old, new] = [&recorded.content, &answer.content];
        let lengths = [old, new].map(|text| text.chars().count());
        format!("{} → {} characters: {}", lengths[0], lengths[1], word_diff(old, new))
    });
    let change = |aspect| move |what| Change { aspect, what };
    let mut changes: Vec<_> = finish.into_iter().map(change(Aspect::Finish)).collect();
    let several = recorded.tool_calls.len().max(answer.tool_calls.len()) > 1;
    let tools = tools(&recorded.tool_calls, &answer.tool_calls, several);
    changes.extend(tools.into_iter().map(change(Aspect::Tools)));
    let [before, now] = [recorded, answer].map(|choice| invalid(request, choice, several));
    let is_new = |reason: &String| !before.contains(reason);
    changes.extend(now.iter().filter(|it| is_new(it)).cloned().map(change(Aspect::Schema)));
    changes.extend(text.into_iter().map(change(Aspect::Text)));
    changes
}

/// Returns what differs in the called tools and their arguments.
fn tools(old: &[ToolCall], new: &[ToolCall], several: bool) -> Vec<String> {
    let names =
        |calls: &[ToolCall]| -> Vec<String> { calls.iter().map(|it| it.name.clone()).collect() };
    let listed = |calls: &[ToolCall]| match calls {
        [] => "none".to_owned(),
        calls => names(calls).join(", "),
    };
    if names(old) != names(new) {
        return vec![format!("{} → {}", listed(old), listed(new))];
    }
    let calls = old.iter().zip(new).enumerate();
    calls.flat_map(|(at, (old, new))| arguments(&call_name(at, old, several), old, new)).collect()
}

/// Returns the name of the tool of a call, with the number of the call if there are several.
fn call_name(at: usize, call: &ToolCall, several: bool) -> String {
    let number = if several { format!("call {}: ", at + 1) } else { String::new() };
    format!("{number}{}", call.name)
}

/// Returns what differs in the arguments of two calls of a tool, which has this name.
fn arguments(name: &str, old: &ToolCall, new: &ToolCall) -> Vec<String> {
    let json = |call: &ToolCall| serde_json::from_str::<Value>(&call.arguments);
    match (json(old), json(new)) {
        (Ok(Value::Object(old)), Ok(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            let keys = old.keys().chain(added).filter(|key| old.get(*key) != new.get(*key));
            let shown = |value: Option<&Value>| value.map_or("none".to_owned(), Value::to_string);
            keys.map(|key| {
                format!("{name}.{key}: {} → {}", shown(old.get(key)), shown(new.get(key)))
            })
            .collect()
        }
        (Ok(old), Ok(new)) if old == new => Vec::new(),
        _ if old.arguments == new.arguments => Vec::new(),
        _ => vec![format!("{name}: {} → {}", old.arguments, new.arguments)],
    }
}

/// Returns what is invalid in an answer: the arguments of calls, and a structured answer.
fn invalid(request: &Request, answer: &Choice, several: bool) -> Vec<String> {
    let of_call = |(at, call): (usize, &ToolCall)| {
        let name = call_name(at, call, several);
        let tool = request.tools.iter().find(|tool| tool.name == call.name);
        let Some(tool) = tool else { return Some(format!("{name} is not offered")) };
        let schema = tool.parameters.as_ref()?.read();
        invalid_json(&call.arguments, &schema).map(|error| format!("{name}: {error}"))
    };
    let calls = answer.tool_calls.iter().enumerate().filter_map(of_call);
    let format = request.response_format.as_ref().filter(|_| answer.tool_calls.is_empty());
    let of_text = format.and_then(|format| invalid_json(&answer.content, &format.read()));
    calls.chain(of_text.map(|error| format!("the answer: {error}"))).collect()
}

/// Returns why a text is not JSON of a schema.
fn invalid_json(text: &str, schema: &Value) -> Option<String> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return Some(format!("not JSON: {error}")),
    };
    // A schema that cannot be used says nothing about the answer.
    Schema::compile(schema).ok()?.check(&value).err()
}
