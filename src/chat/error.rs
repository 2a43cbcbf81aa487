//! Why a call has no response.

use thiserror::Error as ThisError;

use super::ProviderError;

/// Why a call has no response. The messages are daprd's, so that tests written against daprd pass.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Error {
    /// There is no component of that name.
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
        /// What is wrong.
        reason: InvalidParams,
    },
    /// The metadata of the request is invalid.
    #[error("{0}")]
    Metadata(String),
    /// The provider of the component failed.
    #[error("failed conversing with component {component}: {error}")]
    Provider {
        /// Name of the component.
        component: String,
        /// The error of the provider.
        error: ProviderError,
    },
}

/// What is wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
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
    /// The tool choice is a name that no offered tool has.
    #[error(
        "tool choice selected was not found. Must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used"
    )]
    ToolChoiceUnknown,
}
