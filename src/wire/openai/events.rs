//! Encodes streamed answers as server-sent events.

use std::{iter, ops::Range, sync::Arc};

use serde::Serialize;

use super::completion::{CallDelta, Completion, UsageMember, finish_reason};
use crate::{
    chat::{self, Delta, Response, ToolCall},
    wire::error::Error,
};

/// The event that ends a stream.
const DONE: &str = "data: [DONE]\n\n";

/// A piece of a streamed answer.
#[derive(Debug)]
pub struct Piece {
    pub(super) completion: Arc<Completion>,
    pub(super) is_first: bool,
    pub(super) delta: Delta,
}

/// An event of a piece. The first number is the index of the choice.
#[derive(Debug, Clone)]
enum Event {
    /// Begins a choice.
    Role(u64),
    /// Adds to the reasoning or to the content.
    Text(u64),
    /// Begins the call with this index.
    Call(u64, usize),
    /// Adds to the arguments of the call.
    Arguments(u64, usize, Range<usize>),
    /// Ends a choice.
    Finish(u64),
    /// Has the whole message of another choice, by its place among the others.
    Other(usize),
    /// Ends another choice.
    OtherFinish(usize),
    Usage,
    Done,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u64,
    delta: Added<'a>,
    logprobs: Option<()>,
    finish_reason: Option<&'a str>,
}

/// What an event adds to the message of a choice.
#[derive(Serialize, Default)]
struct Added<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallDelta<'a>>,
}

impl Piece {
    /// Returns the events, each made when it is needed: together, those of many choices can be large.
    pub(crate) fn encode(self) -> impl Iterator<Item = Result<String, Error>> + Send {
        let piece = Arc::new(self);
        let choices = 0..piece.choices();
        let of_choices = {
            let piece = piece.clone();
            choices.flat_map(move |choice| Self::events(&piece, choice))
        };
        let is_last = piece.complete().is_some();
        let usage = (is_last && piece.completion.includes_usage).then_some(Event::Usage);
        let others = 0..piece.others().len();
        let of_others = others.flat_map(|at| [Event::Other(at), Event::OtherFinish(at)]);
        let events = of_choices.chain(of_others).chain(usage).chain(is_last.then_some(Event::Done));
        events.map(move |event| piece.encode_event(&event))
    }

    /// Returns the whole response, if this is the last piece.
    fn complete(&self) -> Option<&Response> {
        match &self.delta {
            Delta::Reasoning(_) | Delta::Text(_) => None,
            Delta::Complete(response) => Some(response),
        }
    }

    fn choices(&self) -> u64 {
        let complete = self.complete();
        complete.map_or(self.completion.choices, |response| self.completion.choices(response))
    }

    /// Returns the other choices, if this is the last piece.
    fn others(&self) -> &[chat::Choice] {
        self.complete().map_or(&[], |response| self.completion.others(response))
    }

    /// Returns the events of a choice.
    fn events(piece: &Arc<Self>, choice: u64) -> impl Iterator<Item = Event> + Send + use<> {
        let complete = piece.complete();
        let has_message = complete.is_none_or(|response| response.missing.is_none());
        let role = (piece.is_first && has_message).then_some(Event::Role(choice));
        let text = complete.is_none().then_some(Event::Text(choice));
        let finish = complete.map(|_| Event::Finish(choice));
        let calls = 0..complete.map_or(0, |response| response.tool_calls.len());
        let piece = piece.clone();
        let calls = calls.flat_map(move |at| piece.call_events(choice, at));
        role.into_iter().chain(text).chain(calls).chain(finish)
    }

    /// Returns the events of a call.
    fn call_events(&self, choice: u64, at: usize) -> Vec<Event> {
        let arguments = self.call(at).map_or("", |call| &*call.arguments);
        let added = pieces(arguments).map(|piece| Event::Arguments(choice, at, piece));
        iter::once(Event::Call(choice, at)).chain(added).collect()
    }

    fn call(&self, at: usize) -> Option<&ToolCall> {
        self.complete()?.tool_calls.get(at)
    }

    fn encode_event(&self, event: &Event) -> Result<String, Error> {
        let (index, delta) = match *event {
            Event::Role(index) => {
                (index, Added { role: Some("assistant"), content: Some(""), ..Added::default() })
            }
            Event::Text(index) => (index, self.added_text()),
            Event::Call(index, at) => {
                let call = self.call(at).map(|call| CallDelta::begun(at, call));
                (index, Added { tool_calls: call.into_iter().collect(), ..Added::default() })
            }
            Event::Arguments(index, at, ref piece) => {
                let added = self.call(at).and_then(|call| call.arguments.get(piece.clone()));
                let call = CallDelta::added(at, added.unwrap_or_default());
                (index, Added { tool_calls: vec![call], ..Added::default() })
            }
            Event::Finish(index) => (index, Added::default()),
            Event::Other(at) => {
                (at as u64 + 1, self.others().get(at).map(other).unwrap_or_default())
            }
            Event::OtherFinish(at) => (at as u64 + 1, Added::default()),
            Event::Usage => {
                let usage = self.complete().and_then(|response| response.usage);
                return self.chunk(Vec::new(), usage.map_or(UsageMember::Null, UsageMember::from));
            }
            Event::Done => return Ok(DONE.to_owned()),
        };
        let finish_reason = match *event {
            Event::Finish(_) => self.complete().map(finish_reason),
            Event::OtherFinish(at) => self.others().get(at).map(|it| it.finish_reason.as_str()),
            _ => None,
        };
        let wants_usage = self.completion.includes_usage;
        let usage = if wants_usage { UsageMember::Null } else { UsageMember::Absent };
        self.chunk(vec![Choice { index, delta, logprobs: None, finish_reason }], usage)
    }

    fn added_text(&self) -> Added<'_> {
        match &self.delta {
            Delta::Reasoning(text) => Added { reasoning_content: Some(text), ..Added::default() },
            Delta::Text(text) => Added { content: Some(text), ..Added::default() },
            Delta::Complete(_) => Added::default(),
        }
    }

    fn chunk(&self, choices: Vec<Choice<'_>>, usage: UsageMember) -> Result<String, Error> {
        let document = self.completion.document("chat.completion.chunk", choices, usage);
        let json = serde_json::to_string(&document);
        let json = json.map_err(|error| Error::BodyRead(error.to_string()))?;
        Ok(format!("data: {json}\n\n"))
    }
}

/// Returns the whole message of a choice.
fn other(choice: &chat::Choice) -> Added<'_> {
    let calls = choice.tool_calls.iter().enumerate();
    Added {
        role: Some("assistant"),
        content: Some(&choice.content),
        reasoning_content: (!choice.reasoning.is_empty()).then_some(&choice.reasoning),
        tool_calls: calls.map(|(at, call)| CallDelta::whole_at(at, call)).collect(),
    }
}

/// The length of a piece in bytes, if there are not too many.
const LENGTH: usize = 8;
/// Maximum number of pieces.
const MAX_PIECES: usize = 32;

/// Returns the pieces of arguments: like those of OpenAI, they end within names and values, so that a
/// client has to join them.
pub(super) fn pieces(arguments: &str) -> impl Iterator<Item = Range<usize>> {
    let length = arguments.len().div_ceil(MAX_PIECES).max(LENGTH);
    let mut start = 0;
    iter::from_fn(move || {
        let piece = start..arguments.ceil_char_boundary(start + length);
        start = piece.end;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_together_are_the_arguments() {
        let long = "ä€x".repeat(1_000);
        for arguments in ["", "{}", r#"{"city":"Zürich"}"#, "€€€€€", &long] {
            let pieces: Vec<_> = pieces(arguments).map(|piece| &arguments[piece]).collect();
            assert_eq!(pieces.concat(), arguments);
            assert!(pieces.len() <= MAX_PIECES && !pieces.contains(&""), "{pieces:?}");
        }
    }
}
