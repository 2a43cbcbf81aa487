//! Converts the response of a fixture.

use std::fmt::Write;

use mynah_core::base::{
    template::{is_template, literal, map_strings},
    text::shorten,
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::source::{Fields, Source};
use crate::steps::compact;

/// Maximum number of characters of the message of an error, without an ellipsis.
const MAX_MESSAGE: usize = 499;
/// Maximum number of characters of the reason of an error, without an ellipsis.
const MAX_REASON: usize = 63;

/// A tool call, in `toolCalls` or as a block.
#[derive(Deserialize)]
struct Call<'a> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    id: Option<String>,
}

/// A part of a response.
#[derive(Deserialize)]
struct Block<'a> {
    r#type: String,
    text: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    id: Option<String>,
}

#[derive(Deserialize)]
struct Failure {
    message: String,
    r#type: Option<String>,
    code: Option<Value>,
}

/// The parts of a step, as JSON.
#[derive(Default)]
struct Step {
    items: Vec<String>,
    /// The other keys with their values.
    options: Vec<(&'static str, String)>,
}

/// Converts the response of a fixture to the items or the step of a rule, as JSON. Returns `None` if
/// there is an error, or if mynah has no such responses.
pub(super) fn convert<'a>(
    source: &mut Source<'a>,
    fixture: &mut Fields<'a>,
    raw: &'a RawValue,
) -> Option<String> {
    let Some(response) = fixture.remove("response") else {
        source.error(raw, "the fixture has no `response`");
        return None;
    };
    let mut fields = source.object(response, "`response`")?;
    let mut step = Step::default();
    if let Some(error) = fields.remove("error") {
        step.options.push(("error", failure(source, &mut fields, error)?));
    } else {
        content(source, &mut fields, &mut step);
        if step.items.is_empty() {
            let kinds = "content, toolCalls, blocks or error";
            source.skip(response, format_args!("the response has no {kinds}"));
            return None;
        }
        overrides(source, &mut fields, &mut step);
    }
    pace(source, fixture, &mut step);
    source.warn_of_rest(&fields, "response");
    Some(step.into_json())
}

fn content<'a>(source: &mut Source<'a>, fields: &mut Fields<'a>, step: &mut Step) {
    let content: Option<&RawValue> = fields.remove("content");
    let calls = "a list of calls with a name and arguments";
    let calls: Vec<Call<'_>> = source.take(fields, "toolCalls", calls).unwrap_or_default();
    let blocks = "a list of blocks with a type";
    let blocks: Vec<Block<'_>> = source.take(fields, "blocks", blocks).unwrap_or_default();
    if blocks.is_empty() {
        let text = content.map(|it| serde_json::from_str(it.get()).unwrap_or_else(|_| compact(it)));
        step.items.extend(text.map(|text: String| text_item(&text)));
        step.add_calls(calls);
    } else {
        let texts: String = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
        let is_call = |block: &Block<'_>| block.r#type == "toolCall";
        let calls = blocks.into_iter().filter(is_call).filter_map(|block| {
            Some(Call { name: block.name?, arguments: block.arguments, id: block.id })
        });
        step.items.extend((!texts.is_empty()).then(|| text_item(&texts)));
        step.add_calls(calls.collect());
    }
}

fn overrides<'a>(source: &mut Source<'a>, fields: &mut Fields<'a>, step: &mut Step) {
    if let Some(reason) = source.take::<String>(fields, "finishReason", "a string") {
        step.options.push(("finish_reason", json!(reason).to_string()));
    }
    if let Some(usage) = source.take::<Value>(fields, "usage", "an object") {
        let tokens = |keys: [&str; 3]| keys.iter().find_map(|key| usage[key].as_u64());
        let prompt = tokens(["prompt_tokens", "input_tokens", "promptTokenCount"]);
        let completion = tokens(["completion_tokens", "output_tokens", "candidatesTokenCount"]);
        let usage = json!({ "prompt_tokens": prompt, "completion_tokens": completion });
        step.options.push(("usage", usage.to_string()));
    }
    if let Some(reasoning) = source.take::<String>(fields, "reasoning", "a string") {
        step.options.push(("reasoning", json!(literal(&reasoning)).to_string()));
    }
    for (key, reason) in [
        ("model", "set the component's metadata item `model`"),
        ("id", "ids are made from the conversation"),
        ("created", "answers have no time"),
    ] {
        source.ignore(fields, key, reason);
    }
    fields.remove_all(&["role"]);
}

fn failure<'a>(
    source: &mut Source<'a>,
    fields: &mut Fields<'a>,
    error: &'a RawValue,
) -> Option<String> {
    let Ok(failure) = serde_json::from_str::<Failure>(error.get()) else {
        source.error(error, "`error` must be an object with a message");
        return None;
    };
    let status = source.take(fields, "status", "an HTTP status").unwrap_or(500);
    let mut converted =
        json!({ "code": code(status), "message": shorten(&failure.message, MAX_MESSAGE) });
    let reason = failure.code.filter(|code| !code.is_null()).map(|code| match code {
        Value::String(code) => code,
        code => code.to_string(),
    });
    if let Some(reason) = reason.or(failure.r#type) {
        converted["details"] = json!({ "reason": shorten(&reason, MAX_REASON) });
    }
    if let Some(seconds) = source.take::<f64>(fields, "retryAfter", "a number of seconds") {
        converted["retry_after"] = milliseconds(seconds * 1000.0).into();
    }
    Some(converted.to_string())
}

/// Returns the gRPC code whose HTTP status comes closest.
fn code(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        408 | 504 => "DEADLINE_EXCEEDED",
        409 => "ABORTED",
        412 => "FAILED_PRECONDITION",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        400..=498 => "INVALID_ARGUMENT",
        501 => "UNIMPLEMENTED",
        502 | 503 | 529 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}

/// Converts the timing and the cutting of streams.
fn pace<'a>(source: &mut Source<'a>, fixture: &mut Fields<'a>, step: &mut Step) {
    let profile = fixture.remove("streamingProfile");
    let latency: Option<f64> = source.take(fixture, "latency", "a number of milliseconds");
    if let Some(mut profile) = profile.and_then(|raw| source.object(raw, "`streamingProfile`")) {
        let first: Option<f64> = source.take(&mut profile, "ttft", "a number of milliseconds");
        let rate: Option<f64> = source.take(&mut profile, "tps", "a number of tokens per second");
        source.ignore(&mut profile, "jitter", "answers are deterministic");
        source.warn_of_rest(&profile, "streamingProfile");
        step.add_time("time_to_first_chunk", first.or(latency));
        let per_chunk = rate.filter(|rate| *rate > 0.0).map(|rate| 1000.0 / rate);
        step.add_time("chunk_delay", per_chunk.or(latency));
    } else {
        step.add_time("time_to_first_chunk", latency);
        step.add_time("chunk_delay", latency);
    }
    if step.options.iter().any(|(key, _)| *key == "error") {
        source.ignore(fixture, "truncateAfterChunks", "an error has no chunks");
    }
    let chunks: Option<u64> = source.take(fixture, "truncateAfterChunks", "a number of chunks");
    step.options.extend(chunks.map(|chunks| ("cut_after", chunks.to_string())));
    let characters: Option<u64> = source.take(fixture, "chunkSize", "a number of characters");
    let characters = characters.filter(|characters| *characters > 0);
    step.options.extend(characters.map(|it| ("characters_per_chunk", it.to_string())));
    source.ignore(fixture, "disconnectAfterMs", "streams are cut by chunks; see `cut_after`");
    source.ignore(fixture, "chaos", "failures are not random; see `faults`");
    source.ignore(fixture, "recordedTimings", "see `time_to_first_chunk` and `chunk_delay`");
    source.ignore(fixture, "replaySpeed", "there are no recorded timings");
}

fn milliseconds(time: f64) -> String {
    format!("{}ms", time.clamp(0.0, 1e9))
}

fn text_item(text: &str) -> String {
    json!({ "text": literal(text) }).to_string()
}

impl Step {
    fn add_time(&mut self, key: &'static str, time: Option<f64>) {
        let time = time.filter(|time| *time > 0.0);
        self.options.extend(time.map(|time| (key, format!("{:?}", milliseconds(time)))));
    }

    fn add_calls(&mut self, calls: Vec<Call<'_>>) {
        if !calls.is_empty() {
            let calls: Vec<_> = calls.into_iter().map(Call::into_json).collect();
            self.items.push(format!(r#"{{"tool_call":[{}]}}"#, calls.join(",")));
        }
    }

    /// Returns the items alone, or a step if there is more.
    fn into_json(self) -> String {
        let items = format!("[{}]", self.items.join(","));
        if self.options.is_empty() {
            return items;
        }
        let mut members: Vec<_> =
            self.options.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
        if !self.items.is_empty() {
            members.insert(0, format!(r#""messages":{items}"#));
        }
        format!("{{{}}}", members.join(","))
    }
}

impl Call<'_> {
    fn into_json(self) -> String {
        let mut call = format!(r#"{{"name":{}"#, json!(self.name));
        let json = self.arguments.map_or_else(|| "{}".to_owned(), compact);
        // A string is the text of the arguments. Writing to a string does not fail.
        let _ = match json.starts_with('{') {
            true => write!(call, r#","args":{}"#, literal_strings(&json)),
            false => {
                let text = serde_json::from_str::<String>(&json).unwrap_or(json);
                write!(call, r#","raw_args":{}"#, json!(text))
            }
        };
        if let Some(id) = self.id {
            let _ = write!(call, r#","id":{}"#, json!(id));
        }
        call + "}"
    }
}

/// Makes the strings in the arguments of a tool call templates that give the same strings.
fn literal_strings(json: &str) -> String {
    let literal = |text: &str, is_key: bool| {
        let is_template = !is_key && is_template(text);
        Ok::<_, std::convert::Infallible>(is_template.then(|| literal(text).into_owned()))
    };
    match map_strings(json, literal) {
        Ok(json) => json.into_owned(),
    }
}
