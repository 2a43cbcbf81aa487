//! How calls end.

/// How a call has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallOutcome {
    Ok,
    Failed,
    Cancelled,
}

impl CallOutcome {
    pub(super) const ALL: [Self; 3] = [Self::Ok, Self::Failed, Self::Cancelled];

    /// Returns the name of the outcome in metrics, in the log and in the journal.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}
