//! Classifies errors from other sidecars. This file only inspects codes and never chooses one.

use prost::{Message, Name};
use tonic::{Code, Status};

use super::rpc::{self, ErrorInfo, RetryInfo};
use crate::chat::{ErrorDetails, ErrorKind, ProviderError};

/// The reason why another sidecar rejected a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The sidecar does not serve the method.
    NotServed,
    /// The server speaks HTTP but not gRPC.
    NotGrpc,
    /// The token is missing or wrong.
    WrongToken,
    /// Another reason, described by the status message.
    Other,
}

/// Returns the error that a status reports, with its details, but with another message.
pub(crate) fn provider_error(status: &Status, message: String) -> ProviderError {
    let number = usize::try_from(i32::from(status.code())).unwrap_or_default();
    // The kinds are in the order of gRPC's codes, which start with 0 for success.
    let kind = ErrorKind::ALL.get(number.wrapping_sub(1));
    let mut error = ProviderError::new(kind.map_or(ErrorKind::Unknown, |(_, kind)| *kind), message);
    // Without details, or with malformed details, the code and the message are enough.
    let details = rpc::Status::decode(status.details()).unwrap_or_default().details;
    for any in details {
        let is = |name: &str| any.type_url.rsplit('/').next() == Some(name);
        if is(&ErrorInfo::full_name()) {
            let info = ErrorInfo::decode(&*any.value).ok();
            error.details = info.map(|ErrorInfo { reason, domain, metadata }| {
                Box::new(ErrorDetails { reason, domain, metadata })
            });
        } else if is(&RetryInfo::full_name()) {
            let delay = RetryInfo::decode(&*any.value).ok().and_then(|retry| retry.retry_delay);
            error.retry_after = delay.and_then(|delay| delay.try_into().ok());
        }
    }
    error
}

impl Refusal {
    /// Classifies the status of a failed call.
    pub(crate) fn of(status: &Status) -> Self {
        match status.code() {
            // A provider's own error has this prefix, from daprd as well as from mynah.
            Code::Unimplemented if status.message().starts_with("failed conversing with ") => {
                Self::Other
            }
            Code::Unimplemented => Self::NotServed,
            // daprd proxies unknown methods to applications, for which it requires an application
            // id.
            Code::Unknown if status.message().contains("dapr-callee-app-id") => Self::NotServed,
            // tonic's message for a response that is not gRPC.
            Code::Internal if status.message().contains("receiving response with status") => {
                Self::NotGrpc
            }
            Code::Unauthenticated => Self::WrongToken,
            _ => Self::Other,
        }
    }
}
