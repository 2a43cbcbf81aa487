//! Prints the events of a tool loop run as they occur. In text format, the model's text goes to
//! stdout and the tool calls go to stderr. In JSON format, everything goes to stdout.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use serde::Serialize;
use serde_json::Value;

use super::{
    error::Error,
    output::{Format, Output, note, note_finish_reason, note_line},
};
use crate::{
    base::terminal::{Styling, preview},
    chat::Response,
    tool_loop::{
        CallOutcome, CallRecord, LoopEnd, LoopEvent, LoopResult, Rendering, Wording,
        transcript::CallReader,
    },
    wire::{client_request, encode, json},
};

/// Prints the events of runs, one run at a time.
#[derive(Debug)]
pub(super) struct EventPrinter<W> {
    output: Output<W>,
    format: Format,
    /// Whether to print text as it arrives instead of at the end of a turn.
    streams: bool,
    /// The text of the current turn that has not been printed yet. Unused if `streams` is set.
    buffered: String,
    /// Whether the model's text includes calls, which are printed like others.
    pub(super) has_calls_in_text: bool,
    stderr: Styling,
    /// The ids of the calls that are in progress.
    running: BTreeSet<String>,
    /// Whether calls overlap, so that each result must show which call it belongs to.
    overlapping: bool,
}

impl<W: Write> EventPrinter<W> {
    pub(super) fn new(out: W, format: Format, streams: bool, stderr: Styling) -> Self {
        Self {
            output: Output::new(out),
            format,
            streams,
            buffered: String::new(),
            has_calls_in_text: false,
            stderr,
            running: BTreeSet::new(),
            overlapping: false,
        }
    }

    pub(super) fn print(&mut self, event: &LoopEvent) -> Result<(), Error> {
        match (self.format, event) {
            (Format::Text(styling), event) => self.print_text(event, styling)?,
            (Format::JsonLines, event) => {
                if let Some(event) = Event::new(event)? {
                    self.output.json(&event, false)?;
                }
            }
            (Format::Json { pretty }, LoopEvent::Ended(result)) => {
                self.output.json(&Run::try_from(result)?, pretty)?;
            }
            (Format::Json { .. }, _) => {}
        }
        Ok(self.output.flush()?)
    }

    fn print_text(&mut self, event: &LoopEvent, styling: Styling) -> io::Result<()> {
        match event {
            LoopEvent::Text(text) if self.streams => return self.output.text(text, styling),
            LoopEvent::Text(text) => self.buffered += text,
            LoopEvent::ToolStarted { id, name, arguments } => {
                self.end_text(styling)?;
                self.start_call(id, name, arguments);
            }
            LoopEvent::ToolFinished(record) => {
                self.end_text(styling)?;
                self.finish_call(record);
            }
            LoopEvent::Reasoning(_) | LoopEvent::ToolsFinished { .. } => {}
            LoopEvent::Ended(result) => {
                self.end_text(styling)?;
                note_end(result);
            }
        }
        Ok(())
    }

    /// Prints the buffered text and ends the line.
    fn end_text(&mut self, styling: Styling) -> io::Result<()> {
        let mut text = std::mem::take(&mut self.buffered);
        if self.has_calls_in_text {
            text = without_calls(text);
        }
        self.output.text(&text, styling)?;
        self.output.end_line()?;
        self.output.flush()
    }

    fn start_call(&mut self, id: &str, name: &str, arguments: &str) {
        self.overlapping = !self.running.is_empty();
        self.running.insert(id.to_owned());
        self.note_call(name, arguments);
    }

    fn finish_call(&mut self, record: &CallRecord) {
        // A call that was not run has no start event.
        if !self.running.remove(&record.id) {
            self.note_call(&record.name, &record.arguments);
        }
        if record.outcome != CallOutcome::Pending {
            self.note_result(record);
        }
    }

    fn note_call(&self, name: &str, arguments: &str) {
        let (label, name) = (self.stderr.dim("calls:"), self.stderr.bold(&preview(name)));
        note_line(&format!("{label} {name} {}", self.stderr.dim(&preview(arguments))));
    }

    fn note_result(&self, record: &CallRecord) {
        let (name, result) = (preview(&record.name), preview(record.result.text()));
        note_line(&self.stderr.dim(&match record.outcome {
            _ if self.overlapping => {
                format!("tool:  {name} {}: {result}", preview(&record.arguments))
            }
            // The result of a failed call contains the tool's name.
            CallOutcome::Failed(_) => format!("tool:  {result}"),
            _ => format!("tool:  {name}: {result}"),
        }));
    }
}

fn without_calls(text: String) -> String {
    let response = Response { content: text, ..Response::default() };
    Rendering::Text(Wording::default()).read(response, &CallReader::default()).content
}

fn note_end(result: &LoopResult) {
    if result.end != LoopEnd::Answered {
        return;
    }
    if let Some(response) = &result.response {
        note_finish_reason(response.finish_reason.as_str());
    }
    if result.text().is_empty() {
        note("the answer is empty");
    }
}

/// A line of the output of `--json --stream`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Event<'e> {
    Text(&'e str),
    Started { id: &'e str, name: &'e str, arguments: &'e str },
    Finished(CallOutput<'e>),
    Ended(Run<'e>),
}

/// A tool call with its result.
#[derive(Serialize)]
struct CallOutput<'e> {
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
