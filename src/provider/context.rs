//! The context of a call, which a provider may use in addition to the request.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::{
    ProviderError, Unseen,
    call::{AnswerRecord, AnsweredBy, DEFAULT_SESSION, Surface},
    counters::Counters,
};
use crate::{
    base::{
        blocking::{Panicked, run_blocking},
        clock::{self, Moment},
        memory::{Charge, MemoryExhausted},
    },
    chat::ErrorKind,
};

/// The context of a call, which a provider may use in addition to the request.
///
/// ```
/// use mynah::provider::CallContext;
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
    cancellation: Cancellation,
    /// The memory that the call uses; `None` outside of a sidecar.
    charge: Option<Arc<Charge>>,
    /// What the caller does not see; `None` if the component owns no tools.
    unseen: Option<Arc<Unseen>>,
    /// Scrubs the results of the component's tools, if the caller asks for it.
    result_scrubber: Option<ResultScrubber>,
    /// The API through which the call arrived; `None` outside of a sidecar.
    surface: Option<Surface>,
    /// Whether the call uses the first version of Dapr's API, which has no tools.
    is_alpha1: bool,
    /// The counters of the sidecar's sessions; `None` outside of a sidecar.
    counters: Option<Arc<Counters>>,
    /// What made the answer; `None` if nobody wants to know.
    answers: Option<Arc<AnswerRecord>>,
}

/// Removes personal data from the result of a tool.
pub(crate) type ResultScrubber = fn(&str) -> String;

/// Whether a call is cancelled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancellation(Arc<AtomicBool>);

/// Cancels a call when dropped, because the call has ended or the client has disconnected.
#[derive(Debug)]
pub(crate) struct CancelOnDrop(Cancellation);

impl Cancellation {
    /// Returns `true` if the call is cancelled, so that its result is of no use.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl CallContext {
    /// Creates the context of a call.
    pub fn new(session: Option<Arc<str>>, deadline: Option<Moment>) -> Self {
        Self { session, deadline, ..Self::default() }
    }

    /// Sets the charge for the memory that the call uses.
    pub(crate) fn with_charge(self, charge: Arc<Charge>) -> Self {
        Self { charge: Some(charge), ..self }
    }

    /// Returns the context of one turn of the model in this call. Only the call as a whole is charged.
    pub(crate) fn turn(&self, unseen: Unseen) -> Self {
        Self { charge: None, unseen: Some(unseen.into()), ..self.clone() }
    }

    /// Returns what the caller does not see, if the component owns tools.
    pub(crate) fn unseen(&self) -> Option<&Unseen> {
        self.unseen.as_deref()
    }

    /// Sets the scrubber for the results of the component's tools.
    pub(crate) fn with_result_scrubber(self, scrubber: ResultScrubber) -> Self {
        Self { result_scrubber: Some(scrubber), ..self }
    }

    pub(crate) fn result_scrubber(&self) -> Option<ResultScrubber> {
        self.result_scrubber
    }

    /// Charges the call with `bytes` more, waiting for room.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<(), MemoryExhausted> {
        match &self.charge {
            Some(charge) => charge.grow(bytes).await,
            None => Ok(()),
        }
    }

    /// Charges the call with the `bytes` of its response instead of the request.
    pub(crate) fn hold(&self, bytes: usize) {
        if let Some(charge) = &self.charge {
            charge.set(bytes);
        }
    }

    /// Fails if there is no memory for the response that the call holds. It is dropped then: while it
    /// waited, it would take the memory.
    pub(crate) fn check_memory(&self) -> Result<(), MemoryExhausted> {
        self.charge.as_ref().map_or(Ok(()), |charge| charge.check())
    }

    /// Returns `true` if the call has ended or the client has disconnected.
    ///
    /// A provider's futures and streams are dropped with the call and need not check this. Work on
    /// another thread or in another task should stop when this returns `true`.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    pub(crate) fn cancel_on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.cancellation.clone())
    }

    pub(crate) fn cancellation(&self) -> Cancellation {
        self.cancellation.clone()
    }

    /// Runs the work of the call on a blocking thread, unless the call is cancelled.
    pub(crate) async fn run_blocking<T: Send + 'static>(
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

    /// Waits, but no longer than the client does. Fails at the deadline of the call.
    pub(crate) async fn pause(&self, time: Duration) -> Result<(), ProviderError> {
        if time.is_zero() {
            return Ok(());
        }
        let remaining = self.deadline.map(Moment::remaining);
        let until_deadline = remaining.filter(|remaining| *remaining < time);
        clock::pause(until_deadline.unwrap_or(time)).await;
        match until_deadline {
            None => Ok(()),
            Some(_) => Err(ProviderError::new(
                ErrorKind::DeadlineExceeded,
                "the answer takes longer than the deadline of the call",
            )),
        }
    }

    /// Fails if the call is cancelled, so that the caller starts no work for it.
    pub(crate) fn check_cancelled(&self) -> Result<(), ProviderError> {
        if self.is_cancelled() {
            return Err(ProviderError::new(ErrorKind::Cancelled, "the call was cancelled"));
        }
        Ok(())
    }
}

/// What only calls to a sidecar have.
impl CallContext {
    /// Sets the API through which the call arrived.
    pub(crate) fn with_surface(self, surface: Surface) -> Self {
        Self { surface: Some(surface), ..self }
    }

    /// Returns the API through which the call arrived, if it is a call to a sidecar.
    pub(crate) fn surface(&self) -> Option<Surface> {
        self.surface
    }

    /// Sets whether the call uses the first version of Dapr's API.
    pub(crate) fn set_alpha1(&mut self, is_alpha1: bool) {
        self.is_alpha1 = is_alpha1;
    }

    /// Returns `true` if the call uses the first version of Dapr's API, which has no tools.
    pub(crate) fn is_alpha1(&self) -> bool {
        self.is_alpha1
    }

    /// Sets the counters of the sidecar's sessions.
    pub(crate) fn set_counters(&mut self, counters: Arc<Counters>) {
        self.counters = Some(counters);
    }

    /// Returns the name of the session, which is `default` if the client names none.
    pub(crate) fn session_name(&self) -> &str {
        self.session.as_deref().unwrap_or(DEFAULT_SESSION)
    }

    /// Returns the counters of the sidecar's sessions, if it is a call to a sidecar.
    pub(crate) fn counters(&self) -> Option<&Arc<Counters>> {
        self.counters.as_ref()
    }

    /// Sets where providers record what made the answer.
    pub(crate) fn set_answers(&mut self, answers: Arc<AnswerRecord>) {
        self.answers = Some(answers);
    }

    /// Records what made a turn of the answer. Does nothing if nobody wants to know.
    pub(crate) fn record_answer(&self, answer: impl FnOnce() -> AnsweredBy) {
        if let Some(answers) = &self.answers {
            answers.push(answer());
        }
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

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}
