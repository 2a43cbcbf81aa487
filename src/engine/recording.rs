//! Records one call: in the metrics, in the log and in the journal.

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use jiff::Timestamp;
use tracing::Level;

use super::{
    Engine,
    journal::{CallError, CallOutcome, Entry, Journal, Outcome},
    metrics::CallMetrics,
    redactor::CurrentRedactor,
};
use crate::{
    base::clock::{self, Moment},
    chat::{self, Response},
    provider::{
        CallContext, RecordedAnswers, call::Surface, deadline_exceeded, trace::TraceContext,
    },
    wire::{error::Error, sent::SentRequest},
};

/// The longest time before the deadline of a call at which a client that leaves counts as leaving
/// because of the deadline. The client's clock started earlier, by the time that the request took.
const CLOCK_SKEW: Duration = Duration::from_millis(100);

/// Records one call. A recording that is dropped before the call has ended records that the call was
/// cancelled, or that its deadline passed.
pub struct Recording {
    surface: Option<Surface>,
    started: Moment,
    deadline: Option<Moment>,
    session: Option<Arc<str>>,
    trace: Option<Arc<TraceContext>>,
    /// The name of the component, if the call has not reached it.
    missing: Option<Arc<str>>,
    /// The metrics of the component, or those of calls that reach no component.
    metrics: Arc<CallMetrics>,
    /// What another thread says of the component.
    elsewhere: Option<ReachedElsewhere>,
    /// The entry in the journal; `None` if the journal is off.
    draft: Option<Box<Draft>>,
    /// Removes secrets from the line in the log; `None` if calls are not logged.
    log: Option<CurrentRedactor>,
    is_finished: bool,
}

/// Says on another thread that a call has reached a component, while a [`Recording`] stays with the task
/// of the call.
#[derive(Clone, Default)]
pub(crate) struct ReachedElsewhere(Arc<OnceLock<Reached>>);

/// The metrics of a component that a call has reached, and the session of the call.
type Reached = (Arc<CallMetrics>, Option<Arc<str>>);

impl ReachedElsewhere {
    /// Says that the call has reached the component with these metrics.
    pub(crate) fn reached(&self, metrics: &Arc<CallMetrics>, context: &CallContext) {
        self.0.get_or_init(|| (metrics.clone(), context.session.clone()));
    }
}

struct Draft {
    journal: Arc<Journal>,
    time: Timestamp,
    request: Option<SentRequest>,
    is_streamed: bool,
    answers: RecordedAnswers,
}

impl Recording {
    /// Starts to record a call. `request` is only needed if the journal is on.
    pub(crate) fn start(
        engine: &Engine,
        context: &mut CallContext,
        is_streamed: bool,
        request: impl FnOnce() -> Option<SentRequest>,
    ) -> Self {
        let (counters, waiting) = (engine.counters.clone(), engine.waiting.clone());
        let redactor = engine.redactor.load_full();
        context.set_records(counters, waiting, redactor, engine.journal.is_some());
        let draft = engine.journal.as_ref().map(|journal| {
            Box::new(Draft {
                journal: journal.clone(),
                time: clock::timestamp(),
                request: request(),
                is_streamed,
                answers: context.recorded_answers(),
            })
        });
        let log = tracing::enabled!(Level::DEBUG).then(|| engine.redactor.clone());
        Self {
            surface: context.surface(),
            started: Moment::now(),
            deadline: context.deadline,
            session: None,
            trace: context.trace().cloned(),
            missing: None,
            metrics: engine.metrics.no_component.clone(),
            elsewhere: None,
            draft,
            log,
            is_finished: false,
        }
    }

    /// Returns `true` if the call has to wait until the journal has room.
    pub(crate) fn must_wait(&self) -> bool {
        self.draft.as_ref().is_some_and(|draft| draft.journal.is_full())
    }

    /// Waits until the journal has room.
    pub(crate) async fn wait_for_room(&self) {
        if let Some(draft) = &self.draft {
            draft.journal.wait_for_room().await;
        }
    }

    /// Records that the call has reached the component with these metrics.
    pub(crate) fn reached(&mut self, metrics: &Arc<CallMetrics>, context: &CallContext) {
        self.metrics = metrics.clone();
        self.session.clone_from(&context.session);
    }

    /// Lets another thread say which component the call has reached.
    pub(crate) fn reached_elsewhere(&mut self) -> ReachedElsewhere {
        self.elsewhere.insert(ReachedElsewhere::default()).clone()
    }

    fn take_reached_elsewhere(&mut self) {
        let reached = self.elsewhere.take().and_then(|reached| reached.0.get().cloned());
        if let Some((metrics, session)) = reached {
            (self.metrics, self.session) = (metrics, session);
        }
    }

    /// Records the answer.
    pub(super) fn answered(&mut self, response: &Response) {
        self.finish(Outcome::Answered(response));
    }

    /// Records the error of a component.
    #[cold]
    pub(super) fn failed(&mut self, error: &chat::Error) {
        self.finish(failure(&error.clone().into()));
    }

    /// Records the error of a call that has reached no component. Returns the error.
    #[cold]
    pub(crate) fn rejected(&mut self, error: Error, context: &CallContext) -> Error {
        self.session.clone_from(&context.session);
        self.missing = error.component().map(Into::into);
        if error.is_malformed()
            && let Some(request) = self.draft.as_mut().and_then(|draft| draft.request.as_mut())
        {
            request.keep_beginning();
        }
        self.finish(failure(&error));
        error
    }

    /// Returns `true` if the client stops waiting about now. A short deadline must have half passed.
    fn is_at_deadline(&self) -> bool {
        let limit = CLOCK_SKEW.min(self.started.age());
        self.deadline.is_some_and(|deadline| deadline.remaining() <= limit)
    }

    fn component(&self) -> &Arc<str> {
        self.missing.as_ref().unwrap_or(&self.metrics.component)
    }

    fn finish(&mut self, outcome: Outcome<&Response>) {
        if std::mem::replace(&mut self.is_finished, true) {
            return;
        }
        self.take_reached_elsewhere();
        let duration = self.started.age();
        self.metrics.count(self.surface, outcome.kind(), duration);
        self.log(outcome.kind(), duration);
        if let Some(draft) = self.draft.take() {
            let Draft { journal, time, request, is_streamed, answers } = *draft;
            journal.add(Entry {
                number: 0,
                time,
                duration,
                surface: self.surface,
                session: self.session.take(),
                trace: self.trace.take(),
                component: self.component().clone(),
                is_streamed,
                outcome,
                answered_by: answers.take(),
                request,
            });
        }
    }

    fn log(&self, outcome: CallOutcome, duration: Duration) {
        let Some(redactor) = &self.log else { return };
        let redactor = redactor.load();
        tracing::debug!(
            surface = self.surface.map(Surface::as_str),
            session = self.session.as_deref().map(|session| redactor.redacted(session)).as_deref(),
            trace_id = self.trace.as_deref().map(TraceContext::trace_id),
            component = &*redactor.redacted(&self.metrics.component),
            outcome = outcome.as_str(),
            duration_us = duration.as_micros() as u64,
            "call"
        );
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        self.take_reached_elsewhere();
        if self.is_at_deadline() {
            let component = self.component().to_string();
            self.failed(&chat::Error::Provider { component, error: deadline_exceeded() });
        } else {
            self.finish(Outcome::Cancelled);
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

fn failure(error: &Error) -> Outcome<&'static Response> {
    Outcome::Failed(CallError {
        code: error.code_name(),
        message: error.message(),
        retry_after: error.retry_after(),
    })
}
