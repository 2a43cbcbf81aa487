//! What a provider may need to know of a call in addition to its request.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::ProviderError;
use crate::{base::clock::Moment, chat::ErrorKind};

/// What a provider may need to know of a call in addition to its request.
///
/// ```
/// use mynah::provider::CallContext;
/// let context = CallContext::default();
/// assert!(context.session.is_none() && context.deadline.is_none() && !context.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    /// The test that the call belongs to, if the client names one.
    pub session: Option<Arc<str>>,
    /// When the client stops waiting, if it says so.
    pub deadline: Option<Moment>,
    is_cancelled: Arc<AtomicBool>,
}

/// Cancels a call when it is dropped: when the call ends, or its client disconnects.
#[derive(Debug)]
pub(crate) struct CancelOnDrop(Arc<AtomicBool>);

impl CallContext {
    /// Creates the context of a call.
    pub fn new(session: Option<Arc<str>>, deadline: Option<Moment>) -> Self {
        Self { session, deadline, is_cancelled: Arc::default() }
    }

    /// Returns whether the call has ended, or its client has disconnected.
    ///
    /// Futures and streams of a provider are dropped with the call and need not ask. Work on
    /// another thread or in another task should stop when this returns true.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn cancel_on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.is_cancelled.clone())
    }

    /// Fails if the call has ended, so that no work is started for it.
    pub(crate) fn check_cancelled(&self) -> Result<(), ProviderError> {
        if self.is_cancelled() {
            return Err(ProviderError::new(ErrorKind::Cancelled, "the call was cancelled"));
        }
        Ok(())
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
