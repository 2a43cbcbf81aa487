//! Records one call: in the metrics, in the log and in the journal.

use std::{fmt, sync::Arc};

use jiff::Timestamp;

use super::{
    Engine,
    journal::{CallError, Entry, Journal, Outcome},
    metrics::{CallMetrics, CallOutcome},
};
use crate::{
    base::{
        blocking::{LARGE, run_blocking},
        clock::{self, Moment},
    },
    chat::{self, Response},
    provider::{
        CallContext,
        call::{AnswerRecord, Surface},
    },
    wire::{error::Error, sent::SentRequest},
};

/// Maximum size in bytes of a request in the journal that cannot be decoded.
const MAX_MALFORMED: usize = 16 * 1024;

/// Records one call. A recording that is dropped before the call has ended records that the call was
/// cancelled.
pub struct Recording {
    surface: Option<Surface>,
    started: Moment,
    session: Option<Arc<str>>,
    /// The name of the component, if the call has not reached it.
    missing: Option<String>,
    /// The metrics of the component, or those of calls that reach no component.
    metrics: Arc<CallMetrics>,
    /// The entry in the journal; `None` if the journal is off.
    draft: Option<Box<Draft>>,
    is_finished: bool,
}

struct Draft {
    journal: Arc<Journal>,
    time: Timestamp,
    request: Option<SentRequest>,
    is_redacted: bool,
    is_malformed: bool,
    is_streamed: bool,
    answers: Arc<AnswerRecord>,
}

impl Recording {
    /// Starts to record a call. `request` is only needed if the journal is on.
    pub(crate) fn start(
        engine: &Engine,
        context: &mut CallContext,
        is_streamed: bool,
        request: impl FnOnce() -> Option<SentRequest>,
    ) -> Self {
        let draft = engine.journal.as_ref().map(|journal| {
            Box::new(Draft {
                journal: journal.clone(),
                time: clock::timestamp(),
                request: request(),
                is_redacted: false,
                is_malformed: false,
                is_streamed,
                answers: Arc::default(),
            })
        });
        let answers = draft.as_ref().map(|draft| draft.answers.clone());
        context.set_records(engine.counters.clone(), answers);
        Self {
            surface: context.surface(),
            started: Moment::now(),
            session: None,
            missing: None,
            metrics: engine.metrics.no_component.clone(),
            draft,
            is_finished: false,
        }
    }

    /// Returns `true` if [`prepare`](Self::prepare) has something to do.
    pub(crate) fn needs_preparation(&self) -> bool {
        self.draft.as_ref().is_some_and(|draft| draft.is_large() || draft.journal.is_full())
    }

    /// Waits until the journal has room, and redacts a large request on a blocking thread.
    pub(crate) async fn prepare(&mut self) {
        let Some(draft) = &mut self.draft else { return };
        draft.journal.wait_for_room().await;
        if draft.is_large()
            && let Some(mut request) = draft.request.take()
        {
            let redactor = draft.journal.redactor();
            let redact = move || {
                redactor.redact_request(&mut request);
                request
            };
            // If it panicked, the request is not stored.
            draft.request = run_blocking(redact).await.ok();
            draft.is_redacted = true;
        }
    }

    /// Records that the call has reached the component with these metrics.
    pub(super) fn reached(&mut self, metrics: &Arc<CallMetrics>, context: &CallContext) {
        self.metrics = metrics.clone();
        self.session.clone_from(&context.session);
    }

    /// Records the answer.
    pub(super) fn answered(&mut self, response: &Response) {
        self.finish(CallOutcome::Ok, || Outcome::Answered(Box::new(response.clone())));
    }

    /// Records the error of a component.
    #[cold]
    pub(super) fn failed(&mut self, error: &chat::Error) {
        self.finish(CallOutcome::Failed, || failure(&error.clone().into()));
    }

    /// Records the error of a call that has reached no component. Returns the error.
    #[cold]
    pub(crate) fn rejected(mut self, error: Error, context: &CallContext) -> Error {
        self.session.clone_from(&context.session);
        self.missing = error.component().map(str::to_owned);
        self.draft.iter_mut().for_each(|draft| draft.is_malformed = error.is_malformed());
        self.finish(CallOutcome::Failed, || failure(&error));
        error
    }

    fn component(&self) -> &str {
        self.missing.as_deref().unwrap_or(&self.metrics.component)
    }

    fn finish(&mut self, outcome: CallOutcome, entry_outcome: impl FnOnce() -> Outcome) {
        if std::mem::replace(&mut self.is_finished, true) {
            return;
        }
        let duration = self.started.age();
        self.metrics.count(self.surface, outcome, duration);
        tracing::debug!(
            surface = self.surface.map(Surface::as_str),
            session = self.session.as_deref(),
            component = self.metrics.component,
            outcome = outcome.as_str(),
            duration_us = duration.as_micros() as u64,
            "call"
        );
        if let Some(draft) = self.draft.take() {
            let journal = draft.journal.clone();
            let entry = Entry {
                number: 0,
                time: draft.time,
                duration,
                surface: self.surface,
                session: self.session.take(),
                component: self.component().to_owned(),
                is_streamed: draft.is_streamed,
                outcome: entry_outcome(),
                answered_by: draft.answers.take(),
                request: draft.into_request(),
            };
            journal.add(entry);
        }
    }
}

impl Draft {
    fn is_large(&self) -> bool {
        !self.is_redacted && self.request.as_ref().is_some_and(|it| it.body().len() > LARGE)
    }

    fn into_request(self) -> Option<SentRequest> {
        let mut request = self.request?;
        if !self.is_redacted {
            self.journal.redactor().redact_request(&mut request);
        }
        if self.is_malformed {
            request.shorten(MAX_MALFORMED);
        }
        request.detach(LARGE);
        Some(request)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if !self.is_finished {
            self.finish(CallOutcome::Cancelled, || Outcome::Cancelled);
        }
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("component", &self.metrics.component)
            .finish_non_exhaustive()
    }
}

fn failure(error: &Error) -> Outcome {
    Outcome::Failed(CallError {
        code: error.code_name(),
        message: error.message(),
        retry_after: error.retry_after(),
    })
}
