//! The JSON output for a tool loop run. Messages and usage are in Dapr's proto JSON.

use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use crate::{
    chat::Response,
    tool_loop::{CallRecord, LoopEnd, LoopEvent, LoopResult},
    wire::{client_request, encode, json},
};

/// A line of the output of `--json --stream`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Event<'e> {
    Text(&'e str),
    Started { id: &'e str, name: &'e str, arguments: &'e str },
    Finished(CallOutput<'e>),
    Ended(Run<'e>),
}

/// A tool call with its result.
#[derive(Serialize)]
pub(super) struct CallOutput<'e> {
    id: &'e str,
    name: &'e str,
    arguments: &'e str,
    result: &'e str,
    outcome: &'static str,
}

/// A run that has ended.
#[derive(Serialize)]
pub(super) struct Run<'e> {
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    turns: u32,
    text: &'e str,
    #[serde(flatten)]
    response: Option<ResponseInfo<'e>>,
    calls: Vec<CallOutput<'e>>,
    /// The history, in the format of a `--history` file.
    messages: Vec<Value>,
}

/// The parts of the last response other than its text and tool calls.
#[derive(Serialize)]
struct ResponseInfo<'e> {
    finish_reason: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Value>,
}

impl<'e> Event<'e> {
    /// Converts an event. Returns `None` if the event is not printed.
    pub(super) fn new(event: &'e LoopEvent) -> Result<Option<Self>, Error> {
        Ok(Some(match event {
            LoopEvent::Text(text) => Self::Text(text),
            LoopEvent::ToolStarted { id, name, arguments } => Self::Started { id, name, arguments },
            LoopEvent::ToolFinished(record) => Self::Finished(record.into()),
            LoopEvent::Reasoning(_) | LoopEvent::ToolsFinished { .. } => return Ok(None),
            LoopEvent::Ended(result) => Self::Ended(result.try_into()?),
        }))
    }
}

impl<'e> From<&'e CallRecord> for CallOutput<'e> {
    fn from(record: &'e CallRecord) -> Self {
        let CallRecord { id, name, arguments, result, outcome, .. } = record;
        Self { id, name, arguments, result: result.text(), outcome: outcome.as_str() }
    }
}

impl<'e> TryFrom<&'e LoopResult> for Run<'e> {
    type Error = Error;

    fn try_from(result: &'e LoopResult) -> Result<Self, Error> {
        let messages = result
            .transcript
            .iter()
            .map(|message| json::value(&client_request::encode_message(message)));
        Ok(Self {
            end: result.end.as_str(),
            error: match &result.end {
                LoopEnd::ModelError(error) => Some(error.to_string()),
                _ => None,
            },
            turns: result.turns,
            text: result.text(),
            response: result.response.as_ref().map(ResponseInfo::try_from).transpose()?,
            calls: result.calls.iter().map(CallOutput::from).collect(),
            messages: messages.collect::<Result<_, _>>()?,
        })
    }
}

impl<'e> TryFrom<&'e Response> for ResponseInfo<'e> {
    type Error = Error;

    fn try_from(response: &'e Response) -> Result<Self, Error> {
        let Response { finish_reason, model, usage, .. } = response;
        let usage = usage.map(|usage| json::value(&encode::alpha2_usage(usage))).transpose()?;
        Ok(Self { finish_reason: finish_reason.as_str(), model: model.as_deref(), usage })
    }
}
