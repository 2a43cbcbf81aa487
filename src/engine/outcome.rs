//! How calls end.

use schemars::JsonSchema;
use serde::Deserialize;

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
