//! Errors of other sidecars. This file compares codes and never chooses one.

use tonic::{Code, Status};

/// Why another sidecar rejected a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It does not serve the method.
    NotServed,
    /// It answers HTTP, but not gRPC.
    NotGrpc,
    /// It requires another token.
    WrongToken,
    /// Another reason, which its message describes.
    Other,
}

impl Refusal {
    /// Classifies the status of a failed call.
    pub(crate) fn of(status: &Status) -> Self {
        match status.code() {
            Code::Unimplemented => Self::NotServed,
            // daprd proxies unknown methods to applications, and requires the application's id.
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
