use std::error::Error as StdError;

use thiserror::Error as ThisError;
use tonic::Status;

use crate::{provider::ProviderError, wire::refusal::Refusal};

/// Why a sidecar could not be asked, or gave no answer.
#[derive(Debug, Clone, ThisError)]
pub enum Error {
    /// Not an address.
    #[error("invalid address {0:?}: write host:port, http://host:port or unix:///path")]
    Address(String),
    /// An address that is spoken to by TLS.
    #[error("invalid address {0:?}: mynah does not speak TLS; write http://host:port")]
    Tls(String),
    /// Not a token that could be in a header.
    #[error("invalid API token: a token is of printable ASCII characters")]
    Token,
    /// Nobody listens.
    #[error("nobody listens at {0}; start a sidecar there, such as mynah or dapr run")]
    NobodyListens(String),
    /// No connection comes about for another reason.
    #[error("cannot connect to {address}: {why}")]
    Unreachable {
        /// The address, as written.
        address: String,
        /// What the system says.
        why: String,
    },
    /// There is no component to ask.
    #[error("the sidecar at {0} has no conversation component")]
    NoComponent(String),
    /// There is more than one component to ask.
    #[error(
        "the sidecar at {address} has several conversation components, and one must be chosen: {}",
        names.join(", ")
    )]
    SeveralComponents {
        /// The address, as written.
        address: String,
        /// Their names.
        names: Vec<String>,
    },
    /// The sidecar refused the call, or the call broke off.
    #[error("the call to {address} ended with {:?}: {}", status.code(), words(status))]
    Call {
        /// The address, as written.
        address: String,
        /// How it ended.
        status: Status,
    },
    /// The answer says nothing.
    #[error("the answer of {0} has no choice")]
    NoChoice(String),
    /// The stream has no end.
    #[error("the answer broke off: the stream ended without its last message")]
    BrokenOff,
}

impl From<Error> for ProviderError {
    fn from(error: Error) -> Self {
        Self::internal(error.to_string())
    }
}

fn words(status: &Status) -> String {
    let mut words = match status.message() {
        "" => status.code().description().to_owned(),
        message => message.to_owned(),
    };
    if let Some(source) = status.source() {
        words += &format!(": {}", root_cause(source));
    }
    words += match Refusal::of(status) {
        Refusal::WrongToken => "; DAPR_API_TOKEN must be the sidecar's token",
        Refusal::NotGrpc => "; this is not a gRPC port",
        Refusal::NotServed | Refusal::Other => "",
    };
    words
}

/// The system's own words, which stand at the end of the chain.
pub(super) fn root_cause<'e>(error: &'e (dyn StdError + 'static)) -> &'e (dyn StdError + 'static) {
    error.source().map_or(error, root_cause)
}
