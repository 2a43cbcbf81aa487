//! Classifies errors from other sidecars. This file only inspects codes and never chooses one.

use tonic::{Code, Status};

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

impl Refusal {
    /// Classifies the status of a failed call.
    pub(crate) fn of(status: &Status) -> Self {
        match status.code() {
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
