//! Entries of the journal as they are shown.

use std::{collections::BTreeSet, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    entry::{CallError, CallOutcome, Entry, Outcome},
    normalized::{ShownMessage, ShownTool, ShownToolCall, parameters},
};
use crate::{
    chat::{MissingPart, Request, Response, Usage},
    engine::redactor::{RedactRequest, Redactor},
    provider::{
        call::{AnsweredBy, Surface, rule_place},
        trace::TraceContext,
    },
    wire::sent::SentApi,
};

/// A call.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Entry", deny_unknown_fields)]
pub(crate) struct ShownEntry<'e> {
    /// The number of the entry, from 1.
    number: u64,
    /// When the request arrived.
    #[schemars(extend("format" = "date-time"))]
    time: String,
    /// The time from the request to the end of the answer.
    duration_ms: f64,
    /// The API through which the call arrived.
    #[schemars(schema_with = "surface_names")]
    surface: Option<&'static str>,
    /// The name of the session, which is `default` if the client named none.
    session: &'e str,
    /// The name of the component, as far as it is known. It may not exist.
    component: &'e str,
    /// The trace to which the call belongs, if the client sent `traceparent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ShownTrace")]
    trace: Option<ShownTrace<'e>>,
    /// Whether the client asked for a stream.
    stream: bool,
    /// The form of the request. Requests of pluggable components are shown in the form of Dapr's API.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "api_names")]
    api: Option<&'static str>,
    /// The request as the client sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Value>,
    /// The messages of the request in the same form for all APIs, with `normalized`. Those of an invalid
    /// request are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<ShownMessage>")]
    messages: Option<Vec<ShownMessage>>,
    /// The tools that the request offers, with `normalized`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<ShownTool>")]
    tools: Option<Vec<ShownTool>>,
    /// The other keys of the request in snake case, with `normalized`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    parameters: Option<Map<String, Value>>,
    /// How the call ended.
    #[schemars(schema_with = "outcome_names")]
    outcome: &'static str,
    /// The answer, if the call succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ShownResponse")]
    response: Option<ShownResponse>,
    /// The error, if the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ShownError")]
    error: Option<ShownError<'e>>,
    /// What made the turns of the answer. Empty if echo did.
    answered_by: Vec<ShownAnswer<'e>>,
}

/// The trace to which a call belongs, as W3C Trace Context defines it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryTrace", deny_unknown_fields)]
struct ShownTrace<'e> {
    trace_id: &'e str,
    /// The span that made the call.
    parent_id: &'e str,
}

/// An answer. What a fault leaves out is missing.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryResponse", deny_unknown_fields)]
struct ShownResponse {
    /// The part that a fault has left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "part_names")]
    missing: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    text: Option<String>,
    /// The text of the model's reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    reasoning: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ShownToolCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    finish_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ShownUsage")]
    usage: Option<ShownUsage>,
}

/// Numbers of tokens.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryUsage", deny_unknown_fields)]
struct ShownUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    /// The part of the answer that is reasoning.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "u64")]
    reasoning_tokens: u64,
    /// The part of the history that the model has read from its cache.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "u64")]
    cached_tokens: u64,
}

/// An error.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryError", deny_unknown_fields)]
struct ShownError<'e> {
    /// The gRPC name of the code.
    code: &'static str,
    message: &'e str,
    /// The time after which the client was told to retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    retry_after_ms: Option<f64>,
}

/// What made a turn of an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryAnswer", deny_unknown_fields)]
#[serde(untagged)]
enum ShownAnswer<'e> {
    Rule {
        /// The name of the rule, or its number in the file.
        rule: &'e str,
        /// The file, if the component has rules in several files.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        file: Option<&'e str>,
        /// The file and the line in which the rule begins, if it is in a file.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        place: Option<String>,
        /// The step of the rule's chain or sequence, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "usize")]
        step: Option<usize>,
    },
    Fault {
        #[schemars(extend("const" = true))]
        fault: bool,
    },
    /// The request is not in the recording.
    Missed {
        #[schemars(extend("const" = true))]
        missed: bool,
    },
    Chain {
        /// The message with the instruction chain, from 1.
        chain_in_message: usize,
        /// The step of the chain, from 1.
        step: usize,
    },
}

impl Entry {
    /// Returns the entry as JSON, without secrets.
    pub(crate) fn to_json(&self, redactor: &Redactor) -> Value {
        self.shown(redactor).to_json(redactor)
    }

    /// Returns the entry as JSON, without secrets, with the parts of its request, if that is valid, in the same form
    /// for all APIs.
    pub(crate) fn to_normalized_json(
        &self,
        request: Option<Request>,
        redactor: &Redactor,
    ) -> Value {
        let mut shown = self.shown(redactor);
        shown.parameters = Some(parameters(shown.request.as_ref()));
        if let Some(Request { messages, tools, .. }) = request {
            shown.messages = Some(messages.into_iter().map(ShownMessage::from).collect());
            shown.tools = Some(tools.into_iter().map(ShownTool::from).collect());
        }
        shown.to_json(redactor)
    }

    /// Returns what is shown of the entry. Its secrets are still in it.
    fn shown(&self, redactor: &Redactor) -> ShownEntry<'_> {
        let (response, error) = match &self.outcome {
            Outcome::Answered(response) => (Some(response.unpack().into()), None),
            Outcome::Failed(error) => (None, Some(error.into())),
            Outcome::Cancelled => (None, None),
        };
        ShownEntry {
            number: self.number,
            time: self.time.to_string(),
            duration_ms: milliseconds(self.duration),
            surface: self.surface.map(Surface::as_str),
            session: self.session(),
            component: &self.component,
            trace: self.trace.as_deref().map(ShownTrace::from),
            stream: self.is_streamed,
            api: self.request.as_ref().map(|request| request.api.as_str()),
            request: self.request.as_ref().map(|request| redactor.readable(request)),
            messages: None,
            tools: None,
            parameters: None,
            outcome: self.outcome.kind().as_str(),
            response,
            error,
            answered_by: self.answered_by.iter().map(ShownAnswer::from).collect(),
        }
    }
}

impl ShownEntry<'_> {
    fn to_json(&self, redactor: &Redactor) -> Value {
        // Texts and numbers can always be serialized.
        let mut entry = serde_json::to_value(self).unwrap_or_default();
        redactor.redact(&mut entry);
        entry
    }
}

/// Whether a number is left out of what is shown.
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Rounds to microseconds, which are enough to read.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

impl From<Response> for ShownResponse {
    fn from(response: Response) -> Self {
        let Response {
            reasoning, content, tool_calls, finish_reason, model, usage, missing, ..
        } = response;
        let has_message = missing.is_none();
        let has_choice = has_message || missing == Some(MissingPart::Message);
        let has_output = missing != Some(MissingPart::Outputs);
        let calls = tool_calls.into_iter().filter(|_| has_message);
        Self {
            missing: missing.map(MissingPart::as_str),
            text: has_message.then_some(content),
            reasoning: Some(reasoning).filter(|text| has_message && !text.is_empty()),
            tool_calls: calls.map(ShownToolCall::from).collect(),
            finish_reason: has_choice.then(|| finish_reason.as_str().to_owned()),
            model: model.filter(|_| has_output),
            usage: usage.filter(|_| has_output).map(ShownUsage::from),
        }
    }
}

impl From<Usage> for ShownUsage {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            total_tokens: usage.total_tokens(),
            reasoning_tokens: usage.reasoning_tokens,
            cached_tokens: usage.cached_tokens,
        }
    }
}

impl<'e> From<&'e TraceContext> for ShownTrace<'e> {
    fn from(trace: &'e TraceContext) -> Self {
        Self { trace_id: trace.trace_id(), parent_id: trace.parent_id() }
    }
}

impl<'e> From<&'e CallError> for ShownError<'e> {
    fn from(CallError { code, message, retry_after }: &'e CallError) -> Self {
        Self { code, message, retry_after_ms: retry_after.map(milliseconds) }
    }
}

impl<'e> From<&'e AnsweredBy> for ShownAnswer<'e> {
    fn from(answer: &'e AnsweredBy) -> Self {
        match answer {
            AnsweredBy::Rule { source, rule, line, step } => Self::Rule {
                rule: rule.text(),
                file: rule.file().map(AsRef::as_ref),
                place: rule_place(source, *line),
                step: *step,
            },
            AnsweredBy::Fault => Self::Fault { fault: true },
            AnsweredBy::Missed => Self::Missed { missed: true },
            AnsweredBy::Chain { message, step } => {
                Self::Chain { chain_in_message: *message, step: *step }
            }
        }
    }
}

fn surface_names(_: &mut SchemaGenerator) -> Schema {
    let names = Surface::ALL.map(|surface| Some(surface.as_str()));
    json_schema!({"enum": names.into_iter().chain([None]).collect::<Vec<_>>()})
}

fn api_names(_: &mut SchemaGenerator) -> Schema {
    let names: BTreeSet<_> = SentApi::ALL.into_iter().map(SentApi::as_str).collect();
    json_schema!({"enum": names})
}

fn outcome_names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": CallOutcome::ALL.map(CallOutcome::as_str)})
}

fn part_names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": MissingPart::ALL.map(MissingPart::as_str)})
}
