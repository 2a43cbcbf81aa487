//! The context of a call, which a provider may use in addition to the request.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::{
    ProviderError, Unseen,
    call::{AnswerRecord, AnsweredBy, DEFAULT_SESSION, Surface},
    counters::Counters,
    trace::TraceContext,
    waiting::WaitingCalls,
};
use crate::{
    base::{
        blocking::{Panicked, run_blocking},
        clock::{self, Moment},
        memory::{Charge, MemoryExhausted, Reservation},
        redactor::Redactor,
    },
    chat::ErrorKind,
};

/// The context of a call, which a provider may use in addition to the request.
///
/// ```
/// use mynah_core::provider::CallContext;
/// let context = CallContext::default();
/// assert!(context.session.is_none() && context.deadline.is_none() && !context.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    /// The session to which the call belongs, if the client names one. Usually, each test has its
    /// own.
    pub session: Option<Arc<str>>,
    /// The time at which the client stops waiting, if the client sets a deadline.
    pub deadline: Option<Moment>,
    /// Whether a name of the session in the request's metadata takes precedence.
    is_session_replaceable: bool,
    /// Whether the call uses the first version of Dapr's API, which has no tools.
    is_alpha1: bool,
    /// Scrubs the results of the component's tools, if the caller asks for it.
    result_scrubber: Option<ResultScrubber>,
    /// What the caller does not see; `None` if the component owns no tools.
    unseen: Option<Arc<Unseen>>,
    call: Arc<Call>,
}

/// What all copies of a context share, so that a copy costs little.
#[derive(Debug, Default)]
struct Call {
    is_cancelled: AtomicBool,
    /// The API through which the call arrived; `None` outside of a sidecar.
    surface: Option<Surface>,
    /// The trace to which the call belongs, if the client says so.
    trace: Option<Arc<TraceContext>>,
    /// The memory that the call uses; `None` outside of a sidecar.
    charge: Option<Arc<Charge>>,
    /// Set if the call fails because there is no memory for its answer.
    exhausted: OnceLock<MemoryExhausted>,
    /// The counters of the sidecar's sessions; `None` outside of a sidecar.
    counters: Option<Arc<Counters>>,
    /// The calls of the sidecar that wait; `None` outside of a sidecar.
    waiting: Option<Arc<WaitingCalls>>,
    /// Knows the secrets of the sidecar; `None` outside of a sidecar.
    redactor: Option<Arc<Redactor>>,
    /// What made the answer; `None` if the journal is off.
    answers: Option<AnswerRecord>,
}

/// Removes personal data from the result of a tool.
pub type ResultScrubber = fn(&str) -> String;

/// Whether a call is cancelled.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<Call>);

/// What providers have recorded of the answer to a call.
#[derive(Debug)]
pub struct RecordedAnswers(Arc<Call>);

/// Cancels a call when dropped, because the call has ended or the client has disconnected.
#[derive(Debug)]
pub struct CancelOnDrop(Cancellation);

/// A response and its encoded form.
const RESPONSE_COPIES: usize = 2;

impl Cancellation {
    /// Returns `true` if the call is cancelled, so that its result is of no use.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Relaxed)
    }
}

impl CallContext {
    /// Creates the context of a call.
    pub fn new(session: Option<Arc<str>>, deadline: Option<Moment>) -> Self {
        Self { session, deadline, ..Self::default() }
    }

    /// Returns the context of one turn of the model in this call. Only the call as a whole is charged.
    pub fn turn(&self, unseen: Unseen) -> Self {
        Self { unseen: Some(unseen.into()), ..self.clone() }
    }

    /// Returns what the caller does not see, if the component owns tools.
    pub fn unseen(&self) -> Option<&Unseen> {
        self.unseen.as_deref()
    }

    /// Sets the scrubber for the results of the component's tools.
    pub fn with_result_scrubber(self, scrubber: ResultScrubber) -> Self {
        Self { result_scrubber: Some(scrubber), ..self }
    }

    /// Returns the scrubber for the results of the component's tools, if the caller asks for it.
    pub fn result_scrubber(&self) -> Option<ResultScrubber> {
        self.result_scrubber
    }

    /// Charges the call with `bytes` more, waiting for room.
    pub async fn reserve(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        match &self.call.charge {
            Some(charge) => charge.grow(bytes).await.map_err(|error| self.exhausted(error)),
            None => Ok(()),
        }
    }

    /// Creates a part of the call's charge, for what is dropped before the call ends.
    pub fn reservation(&self) -> Reservation {
        Reservation::of(self.call.charge.clone())
    }

    /// Charges the call with a response of `bytes`, and its encoded form, instead of all else: its request,
    /// and its reservations, which must have been dropped. Does nothing for a turn, whose response the tool
    /// loop charges.
    pub fn hold(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        match &self.call.charge {
            Some(charge) if self.unseen.is_none() => {
                charge.set(RESPONSE_COPIES * bytes).map_err(|error| self.exhausted(error))
            }
            _ => Ok(()),
        }
    }

    /// Makes the call fail with the error for memory.
    #[cold]
    pub fn exhausted(&self, error: MemoryExhausted) -> MemoryExhausted {
        *self.call.exhausted.get_or_init(|| error)
    }

    /// Charges the call with `bytes` more if there is room now. Returns whether there is.
    pub fn reserve_now(&self, bytes: usize) -> bool {
        self.call.charge.as_ref().is_none_or(|charge| charge.try_grow(bytes))
    }

    /// Charges the call for a response of at most `max_size` bytes if there is room now, until the
    /// reservation is dropped.
    pub fn reserve_response_now(&self, max_size: usize) -> Option<Reservation> {
        let reserved = self.reservation();
        reserved.grow_now(RESPONSE_COPIES * max_size).ok().map(|()| reserved)
    }

    /// Runs work that makes a response of at most `max_size` bytes on a blocking thread. The call is
    /// charged for it before the work waits for a thread.
    pub async fn run_blocking_reserved<T: Send + 'static>(
        &self,
        max_size: usize,
        work: impl FnOnce() -> Result<T, ProviderError> + Send + 'static,
    ) -> Result<T, ProviderError> {
        let reserved = self.reservation();
        let grown = reserved.grow(RESPONSE_COPIES * max_size).await;
        grown.map_err(|error| self.exhausted(error))?;
        // Kept while the result waits for this task, which then charges the response.
        let (result, _reserved) = self.run_blocking(move || Ok((work(), reserved))).await?;
        result
    }

    /// Returns `true` if the call has ended or the client has disconnected.
    ///
    /// A provider's futures and streams are dropped with the call and need not check this. Work on
    /// another thread or in another task should stop when this returns `true`.
    pub fn is_cancelled(&self) -> bool {
        self.call.is_cancelled.load(Ordering::Relaxed)
    }

    /// Returns a guard that cancels the call when it is dropped.
    pub fn cancel_on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.cancellation())
    }

    /// Returns a handle that says whether the call is cancelled.
    pub fn cancellation(&self) -> Cancellation {
        Cancellation(self.call.clone())
    }

    /// Runs the work of the call on a blocking thread, unless the call is cancelled.
    pub async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ProviderError> + Send + 'static,
    ) -> Result<T, ProviderError> {
        let context = self.clone();
        let work = move || {
            context.check_cancelled()?;
            work()
        };
        run_blocking(work).await?
    }

    /// Waits, but no longer than the client does, and only until a test ends the waits of the session.
    /// Fails at the deadline of the call.
    pub async fn pause(&self, time: Duration) -> Result<(), ProviderError> {
        if time.is_zero() {
            return Ok(());
        }
        let remaining = self.deadline.map(Moment::remaining);
        let until_deadline = remaining.filter(|remaining| *remaining < time);
        let waits = clock::pause(until_deadline.unwrap_or(time));
        match &self.call.waiting {
            None => waits.await,
            Some(calls) => {
                let waiting = calls.add(self.session_name());
                tokio::select! {
                    () = waits => {}
                    () = waiting.ended() => return Ok(()),
                }
            }
        }
        match until_deadline {
            None => Ok(()),
            Some(_) => Err(deadline_exceeded()),
        }
    }

    /// Fails if the call is cancelled, so that the caller starts no work for it.
    pub fn check_cancelled(&self) -> Result<(), ProviderError> {
        if self.is_cancelled() {
            return Err(ProviderError::new(ErrorKind::Cancelled, "the call was cancelled"));
        }
        Ok(())
    }
}

/// What only calls to a sidecar have.
impl CallContext {
    /// Creates the context of a call that arrived through an API of a sidecar.
    pub fn of_sidecar(
        surface: Surface,
        charge: Arc<Charge>,
        session: Option<Arc<str>>,
        deadline: Option<Moment>,
    ) -> Self {
        let call = Call { surface: Some(surface), charge: Some(charge), ..Call::default() };
        // All fields are named, because a default context would allocate a call of its own.
        Self {
            session,
            deadline,
            is_session_replaceable: false,
            is_alpha1: false,
            result_scrubber: None,
            unseen: None,
            call: call.into(),
        }
    }

    /// Sets the counters of the sidecar's sessions, its calls that wait, what removes its secrets, and
    /// whether providers record what made the answer. Has no effect on a context that has been copied.
    pub fn set_records(
        &mut self,
        counters: Arc<Counters>,
        waiting: Arc<WaitingCalls>,
        redactor: Arc<Redactor>,
        records_answers: bool,
    ) {
        if let Some(call) = Arc::get_mut(&mut self.call) {
            (call.counters, call.waiting) = (Some(counters), Some(waiting));
            call.redactor = Some(redactor);
            call.answers = records_answers.then(AnswerRecord::default);
        }
    }

    /// Sets the trace to which the call belongs. Has no effect on a context that has been copied.
    #[cold]
    pub fn set_trace(&mut self, trace: TraceContext) {
        if let Some(call) = Arc::get_mut(&mut self.call) {
            call.trace = Some(trace.into());
        }
    }

    /// Returns the trace to which the call belongs, if the client says so.
    pub fn trace(&self) -> Option<&Arc<TraceContext>> {
        self.call.trace.as_ref()
    }

    /// Returns the API through which the call arrived, if it is a call to a sidecar.
    pub fn surface(&self) -> Option<Surface> {
        self.call.surface
    }

    /// Returns what removes secrets from texts. Outside of a sidecar, it knows no secrets.
    pub fn redactor(&self) -> &Redactor {
        self.call.redactor.as_deref().unwrap_or(Redactor::of_patterns())
    }

    /// Lets a name of the session in the request's metadata take precedence.
    pub fn with_replaceable_session(self) -> Self {
        Self { is_session_replaceable: true, ..self }
    }

    /// Sets the session that the request's metadata names, unless the call has another one.
    pub fn set_session_of_request(&mut self, session: Option<&str>) {
        if self.session.is_none() || (self.is_session_replaceable && session.is_some()) {
            self.session = session.map(Into::into);
        }
    }

    /// Sets whether the call uses the first version of Dapr's API.
    pub fn set_alpha1(&mut self, is_alpha1: bool) {
        self.is_alpha1 = is_alpha1;
    }

    /// Returns `true` if the call uses the first version of Dapr's API, which has no tools.
    pub fn is_alpha1(&self) -> bool {
        self.is_alpha1
    }

    /// Returns `true` if the caller receives the text of the model's reasoning.
    pub fn shows_reasoning(&self) -> bool {
        self.surface().is_none_or(|surface| surface == Surface::OpenAi)
    }

    /// Returns the name of the session, which is `default` if the client names none.
    pub fn session_name(&self) -> &str {
        self.session.as_deref().unwrap_or(DEFAULT_SESSION)
    }

    /// Returns the counters of the sidecar's sessions, if it is a call to a sidecar.
    pub fn counters(&self) -> Option<&Arc<Counters>> {
        self.call.counters.as_ref()
    }

    /// Returns what providers record of the answer.
    pub fn recorded_answers(&self) -> RecordedAnswers {
        RecordedAnswers(self.call.clone())
    }

    /// Records what made a turn of the answer. Does nothing if the journal is off.
    pub fn record_answer(&self, answer: impl FnOnce() -> AnsweredBy) {
        if let Some(answers) = &self.call.answers {
            answers.push(answer());
        }
    }
}

impl RecordedAnswers {
    /// Takes what made the turns of the answer.
    pub fn take(&self) -> Vec<AnsweredBy> {
        self.0.answers.as_ref().map(AnswerRecord::take).unwrap_or_default()
    }
}

impl From<Panicked> for ProviderError {
    fn from(_: Panicked) -> Self {
        Self::internal("the provider panicked; see the log")
    }
}

impl From<MemoryExhausted> for ProviderError {
    fn from(error: MemoryExhausted) -> Self {
        Self::new(ErrorKind::ResourceExhausted, error.to_string())
    }
}

impl CancelOnDrop {
    /// Returns the error if the call fails because there is no memory for its answer.
    pub fn exhausted(&self) -> Option<MemoryExhausted> {
        self.0.0.exhausted.get().copied()
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.is_cancelled.store(true, Ordering::Relaxed);
    }
}

/// Returns the error of a call whose deadline passes before its answer.
pub fn deadline_exceeded() -> ProviderError {
    let message = "the answer takes longer than the deadline of the call";
    ProviderError::new(ErrorKind::DeadlineExceeded, message)
}
