//! What a provider may need to know of a call in addition to its request.

use std::sync::Arc;

use tokio_util::sync::{CancellationToken, DropGuard};

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
    cancellation: CancellationToken,
}

/// Cancels a call when it is dropped: when the call ends, or its client disconnects.
#[derive(Debug)]
pub(crate) struct CancelOnDrop {
    _guard: DropGuard,
}

impl CallContext {
    /// Creates the context of a call.
    pub fn new(session: Option<Arc<str>>, deadline: Option<Moment>) -> Self {
        Self { session, deadline, cancellation: CancellationToken::new() }
    }

    /// Returns whether the call has ended.
    ///
    /// Asynchronous work is dropped with the call and need not ask. Work on another thread or in
    /// another task should stop when this returns true.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Completes when the call has ended.
    pub async fn cancelled(&self) {
        self.cancellation.cancelled().await;
    }

    pub(crate) fn cancel_on_drop(&self) -> CancelOnDrop {
        CancelOnDrop { _guard: self.cancellation.clone().drop_guard() }
    }

    /// Fails if the call has ended, so that no work is started for it.
    pub(crate) fn check_cancelled(&self) -> Result<(), ProviderError> {
        if self.is_cancelled() {
            return Err(ProviderError::new(ErrorKind::Cancelled, "the call was cancelled"));
        }
        Ok(())
    }
}
