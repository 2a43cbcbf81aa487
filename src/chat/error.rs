use thiserror::Error as ThisError;

use super::ProviderError;

/// Why a call has no answer. The texts are daprd's, so that tests written against daprd hold.
///
/// [`wire::error`](crate::wire::error) gives each its gRPC and HTTP form.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Error {
    /// No component of that name is loaded.
    #[error("failed finding conversation component {0}")]
    UnknownComponent(String),
    /// The request has no inputs.
    #[error("failed conversing with component {component}: missing inputs in request")]
    MissingInputs {
        /// Name of the component.
        component: String,
    },
    /// The request contradicts itself.
    #[error("failed conversing with component {component}: invalid params: {reason}")]
    InvalidParams {
        /// Name of the component.
        component: String,
        /// What is wrong.
        reason: InvalidParams,
    },
    /// The metadata of the request cannot be read.
    #[error("{0}")]
    Metadata(String),
    /// The component could not answer.
    #[error("failed conversing with component {component}: {error}")]
    Provider {
        /// Name of the component.
        component: String,
        /// Its own words.
        error: ProviderError,
    },
}

/// What is wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum InvalidParams {
    /// A message says nothing about who speaks.
    #[error("message type cannot be nil")]
    MessageWithoutType,
    /// An assistant's tool call has no function.
    #[error("tool types cannot be nil")]
    ToolCallWithoutFunction,
    /// `required` where no tool is on offer.
    #[error(
        "tool choice must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used"
    )]
    ToolRequiredWithoutTools,
    /// A name that no tool on offer has.
    #[error(
        "tool choice selected was not found. Must be 'auto', 'none', 'required', or a specific tool name matching the tools available to be used"
    )]
    ToolChoiceUnknown,
}
