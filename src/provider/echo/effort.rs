//! How much work a reply may take.

use crate::provider::Cancellation;

/// How much work a reply may take.
#[derive(Debug, Clone)]
pub(crate) enum Effort {
    /// About a millisecond, so that a serving thread can do it. A reply that needs more is
    /// [`Unfinished`].
    Brief,
    /// As much as the limits allow, until the call is cancelled.
    Full(Cancellation),
}

/// The error for a reply that needs more than a [brief](Effort::Brief) effort.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unfinished;

impl Effort {
    /// Returns a full effort for a call that is never cancelled.
    #[cfg(test)]
    pub(crate) fn full() -> Self {
        Self::Full(Cancellation::default())
    }

    /// Fails if this effort is brief and `is_expensive`.
    pub(crate) fn allow(&self, is_expensive: bool) -> Result<(), Unfinished> {
        match self {
            Self::Brief if is_expensive => Err(Unfinished),
            Self::Brief | Self::Full(_) => Ok(()),
        }
    }

    /// Returns `true` if the reply is of no use any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        matches!(self, Self::Full(cancellation) if cancellation.is_cancelled())
    }
}
