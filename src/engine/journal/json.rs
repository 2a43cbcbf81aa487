//! Shows entries of the journal as JSON.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::entry::{CallError, Entry, Outcome};
use crate::{
    chat::{MissingPart, Response, ToolCall},
    engine::redactor::Redactor,
    provider::call::AnsweredBy,
};

impl Entry {
    /// Returns the entry as JSON, without secrets.
    pub(crate) fn to_json(&self, redactor: &Redactor) -> Value {
        let mut entry = json!({
            "number": self.number,
            "time": self.time.to_string(),
            "duration_ms": milliseconds(self.duration),
            "surface": self.surface.map(|surface| surface.as_str()),
            "session": self.session(),
            "component": *self.component,
            "stream": self.is_streamed,
            "outcome": self.outcome.kind().as_str(),
            "answered_by": self.answered_by.iter().map(answered_by).collect::<Vec<_>>(),
        });
        let mut add = |name: &str, value: Value| {
            if let Some(members) = entry.as_object_mut() {
                members.insert(name.to_owned(), value);
            }
        };
        if let Some(request) = &self.request {
            add("api", request.api().as_str().into());
            add("request", redactor.readable(request));
        }
        match &self.outcome {
            Outcome::Answered(response) => add("response", response_json(&response.unpack())),
            Outcome::Failed(failure) => add("error", failure_json(failure)),
            Outcome::Cancelled => {}
        }
        redactor.redact(&mut entry);
        entry
    }
}

/// Rounds to microseconds, which are enough to read.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

fn answered_by(answer: &AnsweredBy) -> Value {
    match answer {
        AnsweredBy::Rule { rule, step, .. } => {
            let mut json = json!({"rule": **rule.text()});
            if let Some(file) = rule.file() {
                json["file"] = (**file).into();
            }
            if let Some(step) = step {
                json["step"] = (*step).into();
            }
            json
        }
        AnsweredBy::Fault => json!({"fault": true}),
        AnsweredBy::Chain { message, step } => json!({"chain_in_message": message, "step": step}),
    }
}

fn response_json(response: &Response) -> Value {
    let mut members = Map::new();
    let missing = response.missing;
    if let Some((name, _)) = MissingPart::ALL.iter().find(|(_, part)| Some(*part) == missing) {
        members.insert("missing".to_owned(), (*name).into());
    } else {
        members.insert("text".to_owned(), response.content.as_str().into());
        if !response.reasoning.is_empty() {
            members.insert("reasoning".to_owned(), response.reasoning.as_str().into());
        }
        if !response.tool_calls.is_empty() {
            let calls: Vec<_> = response.tool_calls.iter().map(call_json).collect();
            members.insert("tool_calls".to_owned(), calls.into());
        }
    }
    if missing.is_none_or(|part| part == MissingPart::Message) {
        members.insert("finish_reason".to_owned(), response.finish_reason.as_str().into());
    }
    if missing == Some(MissingPart::Outputs) {
        return members.into();
    }
    if let Some(model) = &response.model {
        members.insert("model".to_owned(), model.as_str().into());
    }
    if let Some(usage) = response.usage {
        let usage = json!({
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.total_tokens(),
        });
        members.insert("usage".to_owned(), usage);
    }
    members.into()
}

fn call_json(call: &ToolCall) -> Value {
    json!({"id": call.id, "name": call.name, "arguments": call.arguments})
}

fn failure_json(failure: &CallError) -> Value {
    let mut error = json!({"code": failure.code, "message": failure.message});
    if let Some(wait) = failure.retry_after
        && let Some(members) = error.as_object_mut()
    {
        members.insert("retry_after_ms".to_owned(), milliseconds(wait).into());
    }
    error
}
