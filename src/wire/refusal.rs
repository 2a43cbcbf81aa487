//! What the refusals of another sidecar mean. Codes are only told apart here, never made.

use tonic::{Code, Status};

/// Why another sidecar did not do what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It has no such method.
    NotServed,
    /// It answers in HTTP of another kind.
    NotGrpc,
    /// It asks for another token.
    WrongToken,
    /// Its own words say it best.
    Other,
}

impl Refusal {
    /// The meaning of a status.
    pub(crate) fn of(status: &Status) -> Self {
        match status.code() {
            Code::Unimplemented => Self::NotServed,
            // daprd takes an unknown method for one of another application, and asks which.
            Code::Unknown if status.message().contains("dapr-callee-app-id") => Self::NotServed,
            // tonic's words for a body that is no message.
            Code::Internal if status.message().contains("receiving response with status") => {
                Self::NotGrpc
            }
            Code::Unauthenticated => Self::WrongToken,
            _ => Self::Other,
        }
    }
}
