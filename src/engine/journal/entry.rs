//! Entries of the journal, and which of them a request selects.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use super::packed::{Memory, PackedResponse};
use crate::{
    base::blocking::LARGE,
    chat::Response,
    provider::{
        call::{AnsweredBy, DEFAULT_SESSION, Surface},
        trace::TraceContext,
    },
    wire::sent::SentRequest,
};

/// A call that has ended. `R` is its response.
#[derive(Debug)]
pub(crate) struct Entry<R = PackedResponse> {
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
    /// The trace to which the call belongs, if the client said so.
    pub(crate) trace: Option<Arc<TraceContext>>,
    /// The name of the component, as far as it is known. It may not exist.
    pub(crate) component: Arc<str>,
    /// Whether the client asked for a stream.
    pub(crate) is_streamed: bool,
    /// The request as received.
    pub(crate) request: Option<SentRequest>,
    /// How the call ended.
    pub(crate) outcome: Outcome<R>,
    /// What made the turns of the answer.
    pub(crate) answered_by: Vec<AnsweredBy>,
}

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Outcome<R = PackedResponse> {
    /// With an answer.
    Answered(R),
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

impl<R> Outcome<R> {
    /// Returns how the call ended.
    pub(crate) fn kind(&self) -> CallOutcome {
        match self {
            Self::Answered(_) => CallOutcome::Ok,
            Self::Failed(_) => CallOutcome::Failed,
            Self::Cancelled => CallOutcome::Cancelled,
        }
    }
}

impl Entry<&Response> {
    /// Copies the bytes of the request and of the response.
    pub(super) fn stored(self, memory: &mut Memory) -> Entry {
        let outcome = match self.outcome {
            Outcome::Answered(response) => Outcome::Answered(PackedResponse::new(response, memory)),
            Outcome::Failed(error) => Outcome::Failed(error),
            Outcome::Cancelled => Outcome::Cancelled,
        };
        Entry {
            number: self.number,
            time: self.time,
            duration: self.duration,
            surface: self.surface,
            session: self.session,
            trace: self.trace,
            component: self.component,
            is_streamed: self.is_streamed,
            request: self.request.map(|request| copied(request, memory)),
            outcome,
            answered_by: self.answered_by,
        }
    }
}

/// Copies the body of a request. A large body is kept as it is, because it has its buffer almost to itself.
fn copied(mut request: SentRequest, memory: &mut Memory) -> SentRequest {
    if request.body.len() <= LARGE {
        request.body = memory.store(&request.body);
    }
    request
}

impl Entry {
    /// Returns the error of a call that has failed.
    pub(crate) fn error(&self) -> Option<&CallError> {
        match &self.outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Answered(_) | Outcome::Cancelled => None,
        }
    }

    /// Moves the bytes to other memory, so that theirs can be used again.
    pub(super) fn relocate(&mut self, memory: &mut Memory) {
        self.request = self.request.take().map(|request| copied(request, memory));
        if let Outcome::Answered(response) = &mut self.outcome {
            *response = response.copied(memory);
        }
    }

    /// Frees the bytes.
    pub(super) fn free(self, memory: &mut Memory) {
        self.request.into_iter().for_each(|request| memory.free(request.body));
        if let Outcome::Answered(response) = self.outcome {
            memory.free(response.into_bytes());
        }
    }

    /// Returns the name of the session.
    pub(crate) fn session(&self) -> &str {
        self.session.as_deref().unwrap_or(DEFAULT_SESSION)
    }

    /// Estimates the memory that the entry takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        let outcome = match &self.outcome {
            Outcome::Answered(response) => response.size(),
            Outcome::Failed(failure) => failure.message.len(),
            Outcome::Cancelled => 0,
        };
        let request = self.request.as_ref().map_or(0, |request| request.body.len());
        let texts = self.component.len() + self.session.as_deref().map_or(0, str::len);
        let answers = self.answered_by.len() * size_of::<AnsweredBy>();
        size_of::<Self>() + request + texts + outcome + answers
    }
}

/// Selects entries of the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EntryFilter {
    /// The session, if the entries of one are wanted.
    pub(crate) session: Option<String>,
    /// The component, if the entries of one are wanted.
    pub(crate) component: Option<String>,
    /// How the calls have ended, if only such entries are wanted.
    pub(crate) outcome: Option<CallOutcome>,
    /// Only entries with a higher number are wanted.
    pub(crate) since: u64,
}

impl EntryFilter {
    /// Returns `true` if the entry is selected.
    pub(crate) fn selects(&self, entry: &Entry) -> bool {
        entry.number > self.since
            && self.session.as_deref().is_none_or(|session| session == entry.session())
            && self.component.as_ref().is_none_or(|component| **component == *entry.component)
            && self.outcome.is_none_or(|outcome| outcome == entry.outcome.kind())
    }
}

/// How a call has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CallOutcome {
    Ok,
    Failed,
    Cancelled,
}

impl CallOutcome {
    pub(crate) const ALL: [Self; 3] = [Self::Ok, Self::Failed, Self::Cancelled];

    /// Returns the name of the outcome in metrics, in the log and in the journal.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}
