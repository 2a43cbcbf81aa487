//! How a recorded rule is written.

use std::{borrow::Cow, collections::BTreeMap, convert::Infallible, time::Duration};

use mynah_core::{
    base::{
        template::{is_template, literal, map_strings},
        text::shorten,
    },
    chat::{
        Choice, ErrorDetails, FinishReason, MissingPart, ProviderError, Response, ToolCall, Usage,
    },
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;
use serde_saphyr::FlowSeq;

use super::{Recorded, RecordedAnswer};
use crate::{rules::matching::request::is_deep, steps::MAX_MESSAGE};

/// The keys in the order in which they are written. Others follow by name.
const ORDER: [&str; 31] = [
    "name",
    "match",
    "component",
    "role",
    "text",
    "parts",
    "file",
    "begins",
    "answers",
    "respond",
    "sequence",
    "reasoning",
    "messages",
    "tool_call",
    "args",
    "raw_args",
    "id",
    "tools",
    "empty",
    "error",
    "code",
    "message",
    "finish_reason",
    "other_choices",
    "date",
    "duration",
    "prompt_tokens",
    "completion_tokens",
    "model",
    "usage",
    "stream",
];

/// A rule.
#[derive(Debug, Serialize)]
struct RuleDocument<'a> {
    name: &'a str,
    r#match: MatchDocument<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    respond: Option<Ordered<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sequence: Vec<Ordered<'a>>,
}

#[derive(Debug, Serialize)]
struct MatchDocument<'a> {
    request: Ordered<'a>,
}

/// Returns a list with one rule, as text in the block style.
///
/// # Errors
///
/// Fails if the rule cannot be written, such as for a number that YAML does not have.
pub(super) fn rule(name: &str, request: &Value, steps: &[Value]) -> Result<String, String> {
    let (respond, sequence) = match steps {
        [step] => (Some(Ordered(step)), Vec::new()),
        steps => (None, steps.iter().map(Ordered).collect()),
    };
    let request = Ordered(request);
    let rule = RuleDocument { name, r#match: MatchDocument { request }, respond, sequence };
    serde_saphyr::to_string(&[rule]).map_err(|error| error.to_string())
}

/// Writes the keys of a value in order, but for those of arguments and schemas, which are not ours.
#[derive(Debug)]
struct Ordered<'v>(&'v Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => to.collect_seq(items.iter().map(Ordered)),
            Value::Object(members) => {
                let rank =
                    |key: &str| ORDER.iter().position(|it| *it == key).unwrap_or(ORDER.len());
                let ranked = members.iter().map(|(key, value)| (rank(key), key, value));
                let mut keys: Vec<_> = ranked.collect();
                keys.sort_by_key(|(rank, ..)| *rank);
                let mut map = to.serialize_map(Some(keys.len()))?;
                for (_, key, value) in keys {
                    match key.as_str() {
                        "args" | "response_format" | "parameters" => {
                            map.serialize_entry(key, value)?
                        }
                        "chunks" | "reasoning_chunks" => {
                            map.serialize_entry(key, &FlowSeq(value))?
                        }
                        _ => map.serialize_entry(key, &Ordered(value))?,
                    }
                }
                map.end()
            }
            other => other.serialize(to),
        }
    }
}

/// A step.
#[derive(Debug, Default, Serialize)]
struct StepDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<ItemDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    empty: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_choices: Vec<ChoiceDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<StreamDocument<'a>>,
    recorded: RecordedDocument<'a>,
}

/// Another choice.
#[derive(Debug, Serialize)]
struct ChoiceDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Cow<'a, str>>,
    messages: Vec<ItemDocument<'a>>,
    finish_reason: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum ItemDocument<'a> {
    Text(Cow<'a, str>),
    ToolCall(Vec<CallDocument<'a>>),
}

#[derive(Debug, Serialize)]
struct CallDocument<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_args: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ErrorDocument<'a> {
    code: &'static str,
    message: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<DetailsDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<String>,
}

#[derive(Debug, Serialize)]
struct DetailsDocument<'a> {
    reason: &'a str,
    domain: &'a str,
    metadata: &'a BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum UsageDocument {
    None(&'static str),
    Counts {
        prompt_tokens: u64,
        completion_tokens: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_tokens: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cached_tokens: Option<u64>,
    },
}

#[derive(Debug, Serialize)]
struct StreamDocument<'a> {
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    chunks: &'a [usize],
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    reasoning_chunks: &'a [usize],
}

#[derive(Debug, Default, Serialize)]
struct RecordedDocument<'a> {
    date: &'a str,
    duration: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
}

/// Returns an answer as a step.
pub(super) fn step(answer: &RecordedAnswer) -> Value {
    let RecordedAnswer { end, chunks, reasoning_chunks, recorded } = answer;
    let Recorded { date, duration, model } = recorded;
    let stream = chunks.as_ref().filter(|it| !it.is_empty() || !reasoning_chunks.is_empty());
    let stream = stream.map(|chunks| StreamDocument { chunks, reasoning_chunks });
    let model = model.as_deref();
    let recorded = RecordedDocument { date, duration: written_duration(*duration), model };
    let step = match end {
        Ok(response) => StepDocument { stream, recorded, ..of_response(response) },
        Err(error) => {
            StepDocument { error: Some(of_error(error)), recorded, ..StepDocument::default() }
        }
    };
    // Every step can be written.
    serde_json::to_value(step).unwrap_or_default()
}

fn of_response(response: &Response) -> StepDocument<'_> {
    let Response { reasoning, content, tool_calls, finish_reason, model, usage, missing, .. } =
        response;
    StepDocument {
        reasoning: of_reasoning(reasoning),
        messages: match missing {
            Some(_) => Vec::new(),
            None => items(content, tool_calls),
        },
        empty: missing.map(MissingPart::as_str),
        finish_reason: Some(FinishReason::as_str(finish_reason)),
        other_choices: response.others.iter().map(of_choice).collect(),
        model: Some(model.as_deref().unwrap_or_default()),
        usage: Some(of_usage(*usage, !reasoning.is_empty())),
        ..StepDocument::default()
    }
}

fn of_choice(choice: &Choice) -> ChoiceDocument<'_> {
    ChoiceDocument {
        reasoning: of_reasoning(&choice.reasoning),
        messages: items(&choice.content, &choice.tool_calls),
        finish_reason: choice.finish_reason.as_str(),
    }
}

fn of_reasoning(reasoning: &str) -> Option<Cow<'_, str>> {
    (!reasoning.is_empty()).then(|| literal_text(reasoning))
}

fn items<'a>(content: &'a str, tool_calls: &'a [ToolCall]) -> Vec<ItemDocument<'a>> {
    let text = (!content.is_empty() || tool_calls.is_empty())
        .then(|| ItemDocument::Text(literal_text(content)));
    let calls = (!tool_calls.is_empty())
        .then(|| ItemDocument::ToolCall(tool_calls.iter().map(of_call).collect()));
    text.into_iter().chain(calls).collect()
}

/// Returns a template that gives the text.
fn literal_text(text: &str) -> Cow<'_, str> {
    if is_template(text) { literal(text) } else { Cow::Borrowed(text) }
}

/// Arguments are written as they were sent, unless they are compact JSON without templates, and not deep.
fn of_call(call: &ToolCall) -> CallDocument<'_> {
    let ToolCall { id, name, arguments } = call;
    let json: Option<Value> = serde_json::from_str(arguments).ok();
    let is_compact = |json: &Value| {
        let compact = json.to_string();
        compact == *arguments
    };
    let json = json.filter(|json| json.is_object() && !is_deep(json) && is_compact(json));
    let args = json.filter(|_| !has_templates(arguments));
    let raw_args = args.is_none().then_some(&**arguments);
    CallDocument { name, args, raw_args, id: id.as_deref() }
}

fn has_templates(json: &str) -> bool {
    let mut found = false;
    let check = |text: &str, _| {
        found |= is_template(text);
        Ok::<_, Infallible>(None)
    };
    let Ok(_) = map_strings(json, check);
    found
}

/// Without reasoning, a step has no tokens for it by default.
fn of_usage(usage: Option<Usage>, has_reasoning: bool) -> UsageDocument {
    let Some(usage) = usage else { return UsageDocument::None("none") };
    let Usage { prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens } = usage;
    let reasoning_tokens = Some(reasoning_tokens).filter(|tokens| has_reasoning || *tokens > 0);
    let cached_tokens = Some(cached_tokens).filter(|tokens| *tokens > 0);
    UsageDocument::Counts { prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens }
}

fn of_error(error: &ProviderError) -> ErrorDocument<'_> {
    ErrorDocument {
        code: error.kind.as_str(),
        message: shortened(&error.message),
        details: error.details.as_deref().map(of_details),
        retry_after: error.retry_after.map(written_duration),
    }
}

/// Returns the beginning of a message that is longer than a step can have.
fn shortened(message: &str) -> Cow<'_, str> {
    match message.chars().nth(MAX_MESSAGE) {
        Some(_) => shorten(message, MAX_MESSAGE - 1),
        None => Cow::Borrowed(message),
    }
}

fn of_details(details: &ErrorDetails) -> DetailsDocument<'_> {
    let ErrorDetails { reason, domain, metadata } = details;
    DetailsDocument { reason, domain, metadata }
}

fn written_duration(duration: Duration) -> String {
    format!("{}ms", duration.as_millis())
}
