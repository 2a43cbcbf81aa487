//! A request and its answer.

use std::{borrow::Cow, cell::Cell, time::Duration};

use mynah_core::{
    base::redactor::Redactor,
    chat::{ProviderError, Response},
};

use crate::rules::matching::request::RequestForm;

/// A request and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The session of the call.
    pub session: String,
    /// The request.
    pub request: RequestForm,
    /// The answer.
    pub answer: RecordedAnswer,
}

impl Exchange {
    /// Removes the secrets. Returns `true` if there are any.
    pub fn redact(&mut self, redactor: &Redactor) -> bool {
        let found = Cell::new(false);
        let redacted = |text: &str| match redactor.redacted(text) {
            Cow::Borrowed(_) => text.to_owned(),
            Cow::Owned(redacted) => {
                found.set(true);
                redacted
            }
        };
        self.request = self.request.map_texts(&redacted);
        match &mut self.answer.end {
            Ok(Response { reasoning, content, tool_calls, .. }) => {
                let arguments = tool_calls.iter_mut().map(|call| &mut call.arguments);
                [reasoning, content].into_iter().chain(arguments).for_each(|it| *it = redacted(it));
            }
            Err(error) => error.message = redacted(&error.message),
        }
        found.get()
    }
}

/// What a model has answered.
#[derive(Debug, Clone)]
pub struct RecordedAnswer {
    /// The answer, or the error.
    pub end: Result<Response, ProviderError>,
    /// The lengths of the chunks of the text in characters, if the answer was streamed.
    pub chunks: Option<Vec<usize>>,
    /// The lengths of the chunks of the reasoning in characters.
    pub reasoning_chunks: Vec<usize>,
    /// Where it comes from.
    pub recorded: Recorded,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// The day, such as 2026-11-27.
    pub date: String,
    /// How long the model took.
    pub duration: Duration,
    /// Name of the model, as it calls itself.
    pub model: Option<String>,
}
