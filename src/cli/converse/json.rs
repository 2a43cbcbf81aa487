//! A run of the tool loop as JSON: what Dapr has a message for is in Dapr's form.

use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use crate::{
    chat::Response,
    tool_loop::{CallRecord, EndReason, LoopEvent, LoopResult},
    wire::{ask, encode, json},
};

/// What happens in a run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Event<'e> {
    Text(&'e str),
    Started { id: &'e str, name: &'e str, arguments: &'e str },
    Finished(Call<'e>),
    Ended(Ended<'e>),
}

/// A call with its result.
#[derive(Serialize)]
pub(super) struct Call<'e> {
    id: &'e str,
    name: &'e str,
    arguments: &'e str,
    result: &'e str,
    outcome: &'static str,
}

/// All of a run.
#[derive(Serialize)]
pub(super) struct Ended<'e> {
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    turns: u32,
    text: &'e str,
    #[serde(flatten)]
    response: Option<Answer<'e>>,
    calls: Vec<Call<'e>>,
    /// As a file of earlier messages has them.
    messages: Vec<Value>,
}

/// What the last answer has beside its text.
#[derive(Serialize)]
struct Answer<'e> {
    finish_reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Value>,
}

impl<'e> Event<'e> {
    pub(super) fn of(event: &'e LoopEvent) -> Result<Self, Error> {
        Ok(match event {
            LoopEvent::Text(text) => Self::Text(text),
            LoopEvent::ToolStarted { id, name, arguments } => Self::Started { id, name, arguments },
            LoopEvent::ToolFinished(record) => Self::Finished(record.into()),
            LoopEvent::Ended(result) => Self::Ended(Ended::of(result)?),
        })
    }
}

impl<'e> From<&'e CallRecord> for Call<'e> {
    fn from(record: &'e CallRecord) -> Self {
        let CallRecord { id, name, arguments, result, .. } = record;
        Self { id, name, arguments, result, outcome: record.outcome.as_str() }
    }
}

impl<'e> Answer<'e> {
    fn of(response: &'e Response) -> Result<Self, Error> {
        let Response { finish_reason, model, usage, .. } = response;
        let usage = usage.map(|usage| json::value(&encode::alpha2_usage(usage))).transpose()?;
        Ok(Self { finish_reason: finish_reason.as_str(), model: model.as_deref(), usage })
    }
}

impl<'e> Ended<'e> {
    pub(super) fn of(result: &'e LoopResult) -> Result<Self, Error> {
        let messages = result.transcript.iter().map(|said| json::value(&ask::message(said)));
        Ok(Self {
            end: result.end.as_str(),
            error: match &result.end {
                EndReason::ModelError(error) => Some(error.to_string()),
                _ => None,
            },
            turns: result.turns,
            text: result.text(),
            response: result.response.as_ref().map(Answer::of).transpose()?,
            calls: result.calls.iter().map(Call::from).collect(),
            messages: messages.collect::<Result<_, _>>()?,
        })
    }
}
