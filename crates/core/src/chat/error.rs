//! Errors from calls to a component.

use thiserror::Error as ThisError;

use super::{HistoryError, ProviderError};
use crate::base::memory::MemoryExhausted;

/// The error returned if a call has no response. The messages match daprd's, so that tests written
/// against daprd pass.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Error {
    /// No component has this name.
    #[error("failed finding conversation component {0}")]
    UnknownComponent(String),
    /// The request has no inputs.
    #[error("failed conversing with component {component}: missing inputs in request")]
    MissingInputs {
        /// Name of the component.
        component: String,
    },
    /// The request is invalid.
    #[error("failed conversing with component {component}: invalid params: {reason}")]
    InvalidParams {
        /// Name of the component.
        component: String,
        /// The reason why the request is invalid.
        reason: InvalidParams,
    },
    /// The request's metadata is invalid.
    #[error("{0}")]
    Metadata(String),
    /// The component's provider failed.
    #[error("failed conversing with component {component}: {error}")]
    Provider {
        /// Name of the component.
        component: String,
        /// The provider's error.
        error: ProviderError,
    },
    /// The calls in flight take all the memory that they may.
    #[error(transparent)]
    MemoryLimit(#[from] MemoryExhausted),
}

/// The reason why a request is invalid.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum InvalidParams {
    /// A message has no role.
    #[error("message type cannot be nil")]
    MessageWithoutType,
    /// A tool call has no function.
    #[error("tool types cannot be nil")]
    ToolCallWithoutFunction,
    /// The tool choice is `required`, but the request offers no tools.
    #[error(
        "tool choice must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used"
    )]
    ToolRequiredWithoutTools,
    /// The tool choice names a tool that the request does not offer.
    #[error(
        "tool choice selected was not found. Must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used"
    )]
    ToolChoiceUnknown,
    /// The maximum number of generated tokens is not positive.
    #[error("max_tokens is {0}; expected at least 1")]
    MaxTokens(i64),
    /// The client asks for several answers of a real model.
    #[error("n is {0}; a real model is asked for one choice, expected 1")]
    Choices(u64),
    /// The tool calls and results in the history do not match.
    #[error(transparent)]
    History(#[from] HistoryError),
}
