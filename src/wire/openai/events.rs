//! Encodes streamed answers as server-sent events.

use std::sync::Arc;

use serde::Serialize;

use super::completion::{Call, Completion, UsageMember, calls, finish_reason};
use crate::{chat::Delta, wire::error::Error};

/// The event that ends a stream.
const DONE: &str = "data: [DONE]\n\n";

/// A piece of a streamed answer.
#[derive(Debug)]
pub struct Piece {
    pub(super) completion: Arc<Completion>,
    pub(super) is_first: bool,
    pub(super) delta: Delta,
}

/// An event of a piece. The number is the index of the choice.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// Begins a choice.
    Role(u64),
    /// Adds to the reasoning or to the content.
    Text(u64),
    Calls(u64),
    /// Ends a choice.
    Finish(u64),
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
    tool_calls: Vec<Call<'a>>,
}

impl Piece {
    /// Returns the events, each made when it is needed: together, those of many choices can be large.
    pub(crate) fn encode(self) -> impl Iterator<Item = Result<String, Error>> + Send {
        self.events().into_iter().map(move |event| self.encode_event(event))
    }

    fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        let (choices, has_message) = match &self.delta {
            Delta::Reasoning(_) | Delta::Text(_) => (self.completion.choices, true),
            Delta::Complete(response) => {
                (self.completion.choices(response), response.missing.is_none())
            }
        };
        for index in 0..choices {
            events.extend((self.is_first && has_message).then_some(Event::Role(index)));
            match &self.delta {
                Delta::Reasoning(_) | Delta::Text(_) => events.push(Event::Text(index)),
                Delta::Complete(response) => {
                    let has_calls = !response.tool_calls.is_empty();
                    events.extend(has_calls.then_some(Event::Calls(index)));
                    events.push(Event::Finish(index));
                }
            }
        }
        if let Delta::Complete(_) = &self.delta {
            events.extend(self.completion.includes_usage.then_some(Event::Usage));
            events.push(Event::Done);
        }
        events
    }

    fn encode_event(&self, event: Event) -> Result<String, Error> {
        let complete = match &self.delta {
            Delta::Reasoning(_) | Delta::Text(_) => None,
            Delta::Complete(response) => Some(&**response),
        };
        let (index, delta) = match event {
            Event::Role(index) => {
                (index, Added { role: Some("assistant"), content: Some(""), ..Added::default() })
            }
            Event::Text(index) => (index, self.added_text()),
            Event::Calls(index) => {
                let all = complete.map(|response| &*response.tool_calls).unwrap_or_default();
                (index, Added { tool_calls: calls(all, Some), ..Added::default() })
            }
            Event::Finish(index) => (index, Added::default()),
            Event::Usage => {
                let usage = complete.and_then(|response| response.usage);
                return self.chunk(Vec::new(), usage.map_or(UsageMember::Null, UsageMember::from));
            }
            Event::Done => return Ok(DONE.to_owned()),
        };
        let is_finish = matches!(event, Event::Finish(_));
        let finish_reason = complete.filter(|_| is_finish).map(finish_reason);
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
        let json = self.completion.json("chat.completion.chunk", choices, usage)?;
        Ok(format!("data: {json}\n\n"))
    }
}
