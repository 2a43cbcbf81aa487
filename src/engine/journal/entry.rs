//! Entries of the journal.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;

use crate::{
    chat::Response,
    provider::call::{AnsweredBy, DEFAULT_SESSION, Surface},
    wire::sent::SentRequest,
};

/// A call that has ended.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The number of the entry, from 1.
    pub(crate) number: u64,
    /// When the request arrived.
    pub(crate) time: Timestamp,
    /// The time from the request to the end of the answer.
    pub(crate) duration: Duration,
    /// The API through which the call arrived.
    pub(crate) surface: Option<Surface>,
    /// The session; `None` if the client named none.
    pub(crate) session: Option<Arc<str>>,
    /// The name of the component, as far as it is known. It may not exist.
    pub(crate) component: String,
    /// Whether the client asked for a stream.
    pub(crate) is_streamed: bool,
    /// The request as received.
    pub(crate) request: Option<SentRequest>,
    /// How the call ended.
    pub(crate) outcome: Outcome,
    /// What made the turns of the answer.
    pub(crate) answered_by: Vec<AnsweredBy>,
}

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// With an answer.
    Answered(Box<Response>),
    /// With an error.
    Failed(CallError),
    /// The client disconnected or cancelled the call before its deadline.
    Cancelled,
}

/// The error of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallError {
    /// The gRPC name of the code.
    pub(crate) code: &'static str,
    /// The message for the client.
    pub(crate) message: String,
    /// The time after which the client was told to retry.
    pub(crate) retry_after: Option<Duration>,
}

impl Entry {
    /// Returns the name of the session.
    pub(crate) fn session(&self) -> &str {
        self.session.as_deref().unwrap_or(DEFAULT_SESSION)
    }

    /// Estimates the memory that the entry takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        let outcome = match &self.outcome {
            Outcome::Answered(response) => size_of::<Response>() + response.size(),
            Outcome::Failed(failure) => failure.message.len(),
            Outcome::Cancelled => 0,
        };
        let request = self.request.as_ref().map_or(0, |request| request.body().len());
        let texts = self.component.len() + self.session.as_deref().map_or(0, str::len);
        let answers = self.answered_by.len() * size_of::<AnsweredBy>();
        size_of::<Self>() + request + texts + outcome + answers
    }
}
