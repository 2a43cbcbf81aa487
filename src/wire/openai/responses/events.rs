//! Encodes streamed responses as server-sent events, in OpenAI's order.

use std::{iter, ops::Range, sync::Arc};

use serde::Serialize;

use super::document::{
    self, Document, IN_PROGRESS, INCOMPLETE, Item, KeptResponse, Outline, Part, has_message, part,
};
use crate::{
    chat::{self, Delta, ToolCall},
    wire::{
        error::{Error, openai_code},
        openai::{completion::encode, events::pieces},
    },
};

/// A piece of a streamed response.
#[derive(Debug)]
pub struct ResponsePiece {
    outline: Arc<Outline>,
    /// The number of its first event.
    sequence: u64,
    steps: Vec<Step>,
    delta: Delta,
}

/// How far a stream is.
#[derive(Debug)]
pub struct ResponseProgress {
    pub(super) outline: Arc<Outline>,
    /// The number of the next event.
    sequence: u64,
    has_text: bool,
}

/// The end of a stream so far, after which an error may follow.
#[derive(Debug)]
pub(crate) struct Position {
    outline: Arc<Outline>,
    sequence: u64,
}

/// What one event tells. A number is that of a call.
#[derive(Debug, Clone)]
enum Step {
    Created,
    InProgress,
    MessageAdded,
    PartAdded,
    Text,
    TextDone,
    PartDone,
    MessageDone,
    Call(usize, CallStep),
    Finished,
}

/// What an event tells of a call.
#[derive(Debug, Clone)]
enum CallStep {
    Added,
    /// A piece of the arguments.
    Arguments(Range<usize>),
    ArgumentsDone,
    Done,
}

#[derive(Serialize)]
struct Event<'a> {
    r#type: &'static str,
    sequence_number: u64,
    #[serde(flatten)]
    body: Body<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body<'a> {
    Response {
        response: Document<'a>,
    },
    Item {
        output_index: usize,
        item: Item<'a>,
    },
    Part {
        item_id: String,
        output_index: usize,
        content_index: usize,
        part: Part<'a>,
    },
    Text {
        item_id: String,
        output_index: usize,
        content_index: usize,
        delta: &'a str,
        logprobs: [(); 0],
    },
    TextDone {
        item_id: String,
        output_index: usize,
        content_index: usize,
        text: &'a str,
        logprobs: [(); 0],
    },
    Arguments {
        item_id: String,
        output_index: usize,
        delta: &'a str,
    },
    ArgumentsDone {
        item_id: String,
        output_index: usize,
        name: &'a str,
        arguments: &'a str,
    },
    Error {
        code: Option<&'a str>,
        message: &'a str,
        param: Option<&'a str>,
    },
}

impl CallStep {
    /// Returns the steps of a call.
    fn all(call: &ToolCall) -> impl Iterator<Item = Self> {
        let added = iter::once(Self::Added).chain(pieces(&call.arguments).map(Self::Arguments));
        added.chain([Self::ArgumentsDone, Self::Done])
    }
}

impl ResponseProgress {
    pub(super) fn new(outline: Outline) -> Self {
        Self { outline: outline.into(), sequence: 0, has_text: false }
    }

    /// Returns the next piece.
    pub(super) fn piece(&mut self, delta: Delta) -> ResponsePiece {
        let mut steps = Vec::new();
        if self.sequence == 0 {
            steps.extend([Step::Created, Step::InProgress]);
        }
        match &delta {
            Delta::Reasoning(_) => {}
            Delta::Text(_) => {
                self.begin_text(&mut steps);
                steps.push(Step::Text);
            }
            Delta::Complete(response) => self.finish(response, &mut steps),
        }
        let sequence = self.sequence;
        self.sequence += steps.len() as u64;
        ResponsePiece { outline: self.outline.clone(), sequence, steps, delta }
    }

    fn begin_text(&mut self, steps: &mut Vec<Step>) {
        if !std::mem::replace(&mut self.has_text, true) {
            steps.extend([Step::MessageAdded, Step::PartAdded]);
        }
    }

    fn finish(&mut self, response: &chat::Response, steps: &mut Vec<Step>) {
        if response.missing.is_none() {
            if has_message(response) {
                self.begin_text(steps);
                steps.extend([Step::TextDone, Step::PartDone, Step::MessageDone]);
            }
            let calls = response.tool_calls.iter().enumerate();
            let of_call = |(at, call)| CallStep::all(call).map(move |step| Step::Call(at, step));
            steps.extend(calls.flat_map(of_call));
        }
        steps.push(Step::Finished);
    }
}

impl ResponsePiece {
    /// Returns the end of the stream so far.
    pub(crate) fn position(&self) -> Position {
        let sequence = self.sequence + self.steps.len() as u64;
        Position { outline: self.outline.clone(), sequence }
    }

    /// Returns what is kept of the response if it has ended, unless the request asks to keep nothing.
    pub(crate) fn kept(&self) -> Option<KeptResponse> {
        let Delta::Complete(response) = &self.delta else { return None };
        self.outline.history.as_ref()?;
        self.outline.kept(response, &encode(&self.outline.finished(response)))
    }

    /// Returns the events, each made when it is needed: together, they can be large.
    pub(crate) fn encode(self) -> impl Iterator<Item = String> + Send {
        let mut at = 0;
        iter::from_fn(move || {
            let event = self.event(self.steps.get(at)?, self.sequence + at as u64);
            at += 1;
            event
        })
    }

    fn event(&self, step: &Step, sequence_number: u64) -> Option<String> {
        let (name, body) = match (step, &self.delta) {
            (Step::Created, _) => ("response.created", self.in_progress()),
            (Step::InProgress, _) => ("response.in_progress", self.in_progress()),
            (step, Delta::Reasoning(text) | Delta::Text(text)) => self.text_event(step, text),
            (Step::Finished, Delta::Complete(response)) => {
                let is_incomplete = document::status(response) == INCOMPLETE;
                let name = if is_incomplete { "response.incomplete" } else { "response.completed" };
                (name, Body::Response { response: self.outline.finished(response) })
            }
            (Step::Call(at, step), Delta::Complete(response)) => {
                self.call_event(step, *at, response)?
            }
            (step, Delta::Complete(response)) => self.text_event(step, &response.content),
        };
        Some(event(name, sequence_number, body))
    }

    fn in_progress(&self) -> Body<'_> {
        Body::Response { response: self.outline.in_progress() }
    }

    /// Returns an event of the message. `text` is its text or a piece of it.
    fn text_event<'a>(&'a self, step: &Step, text: &'a str) -> (&'static str, Body<'a>) {
        let (output_index, content_index, logprobs) = (0, 0, []);
        let item_id = self.outline.message_id();
        match step {
            Step::MessageAdded => {
                let item = self.outline.message(IN_PROGRESS, None);
                ("response.output_item.added", Body::Item { output_index, item })
            }
            Step::PartAdded => {
                let body = Body::Part { item_id, output_index, content_index, part: part("") };
                ("response.content_part.added", body)
            }
            Step::TextDone => {
                let body = Body::TextDone { item_id, output_index, content_index, text, logprobs };
                ("response.output_text.done", body)
            }
            Step::PartDone => {
                let body = Body::Part { item_id, output_index, content_index, part: part(text) };
                ("response.content_part.done", body)
            }
            Step::MessageDone => {
                let item = self.outline.message(self.status(), Some(part(text)));
                ("response.output_item.done", Body::Item { output_index, item })
            }
            _ => {
                let delta = text;
                let body = Body::Text { item_id, output_index, content_index, delta, logprobs };
                ("response.output_text.delta", body)
            }
        }
    }

    fn call_event<'a>(
        &'a self,
        step: &CallStep,
        at: usize,
        response: &'a chat::Response,
    ) -> Option<(&'static str, Body<'a>)> {
        let call = response.tool_calls.get(at)?;
        let output_index = at + usize::from(has_message(response));
        let (item_id, arguments) = (self.outline.call_id(at), &call.arguments);
        Some(match step {
            CallStep::Added => {
                let item = self.outline.call(at, call, IN_PROGRESS, "");
                ("response.output_item.added", Body::Item { output_index, item })
            }
            CallStep::Arguments(piece) => {
                let delta = arguments.get(piece.clone())?;
                let body = Body::Arguments { item_id, output_index, delta };
                ("response.function_call_arguments.delta", body)
            }
            CallStep::ArgumentsDone => {
                let name = &call.name;
                let body = Body::ArgumentsDone { item_id, output_index, name, arguments };
                ("response.function_call_arguments.done", body)
            }
            CallStep::Done => {
                let item = self.outline.call(at, call, document::COMPLETED, arguments);
                ("response.output_item.done", Body::Item { output_index, item })
            }
        })
    }

    fn status(&self) -> &'static str {
        match &self.delta {
            Delta::Reasoning(_) | Delta::Text(_) => IN_PROGRESS,
            Delta::Complete(response) => document::status(response),
        }
    }
}

impl Position {
    /// Returns the events with which a stream ends after an error.
    pub(crate) fn failed(&self, error: &Error) -> [String; 2] {
        let (code, message) = (openai_code(error), error.provider_message());
        let body = Body::Error { code, message: &message, param: None };
        let response = self.outline.failed(error.openai_failure(), &message);
        [
            event("error", self.sequence, body),
            event("response.failed", self.sequence + 1, Body::Response { response }),
        ]
    }
}

fn event(name: &'static str, sequence_number: u64, body: Body<'_>) -> String {
    format!("event: {name}\ndata: {}\n\n", encode(&Event { r#type: name, sequence_number, body }))
}
