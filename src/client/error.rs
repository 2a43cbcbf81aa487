//! Errors from calls to a sidecar.

use std::error::Error as StdError;

use thiserror::Error as ThisError;
use tonic::Status;

use crate::{
    chat::ErrorKind,
    provider::ProviderError,
    wire::refusal::{Refusal, provider_error},
};

/// The error returned if a call to a sidecar has no response.
///
/// The variants contain addresses as the caller wrote them.
#[derive(Debug, Clone, ThisError)]
pub enum Error {
    /// The address is invalid.
    #[error("invalid address {0:?}; expected host:port, http://host:port or unix:///path")]
    InvalidAddress(String),
    /// The address requires TLS.
    #[error("invalid address {0:?}: TLS is not supported; expected http://host:port")]
    TlsUnsupported(String),
    /// The API token is not a valid header value.
    #[error("invalid API token; expected printable ASCII characters, without blanks at the ends")]
    InvalidToken,
    /// Nothing listens at the address.
    #[error("nothing listens at {0}; start a sidecar there, such as mynah or dapr run")]
    NotListening(String),
    /// The connection failed for another reason.
    #[error("cannot connect to {address}: {reason}")]
    Unreachable {
        /// The address.
        address: String,
        /// The reason, as the operating system reports it.
        reason: String,
    },
    /// The sidecar has no conversation component.
    #[error("the sidecar at {0} has no conversation component")]
    NoComponent(String),
    /// The sidecar has several conversation components, and the caller did not choose one.
    #[error(
        "the sidecar at {address} has several conversation components; choose one of: {}",
        names.join(", ")
    )]
    SeveralComponents {
        /// The address.
        address: String,
        /// The names of the components, sorted.
        names: Vec<String>,
    },
    /// The sidecar returned an error, or the connection was lost.
    #[error("the call to {address} failed with {:?}: {}", status.code(), describe(status))]
    Call {
        /// The address.
        address: String,
        /// The gRPC status.
        status: Status,
    },
    /// The response has no choices.
    #[error("the response from {0} has no choices")]
    NoChoice(String),
    /// The stream ended before the response was complete.
    #[error("the stream ended before the response was complete")]
    Truncated,
}

impl From<Error> for ProviderError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Call { status, .. } => provider_error(&status, message),
            Error::NotListening(_) | Error::Unreachable { .. } => {
                Self::new(ErrorKind::Unavailable, message)
            }
            _ => Self::internal(message),
        }
    }
}

/// Returns the message of a status, with its cause and a hint.
fn describe(status: &Status) -> String {
    let mut text = match status.message() {
        "" => status.code().description().to_owned(),
        message => message.to_owned(),
    };
    if let Some(source) = status.source() {
        text += &format!(": {}", root_cause(source));
    }
    text += match Refusal::of(status) {
        Refusal::WrongToken => "; set DAPR_API_TOKEN to the sidecar's token",
        Refusal::NotGrpc => "; this is not a gRPC port",
        Refusal::NotServed | Refusal::Other => "",
    };
    text
}

/// Returns the last error in the chain, which usually comes from the operating system.
pub(super) fn root_cause<'e>(error: &'e (dyn StdError + 'static)) -> &'e (dyn StdError + 'static) {
    error.source().map_or(error, root_cause)
}
