//! Errors from providers.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error as ThisError;

use super::Delivery;

/// The error returned if a provider fails.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{message}")]
pub struct ProviderError {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// A message for the client.
    pub message: String,
    /// The machine-readable cause.
    pub details: Option<Box<ErrorDetails>>,
    /// The time after which a retry may succeed.
    pub retry_after: Option<Duration>,
    /// How the error reaches the client.
    pub delivery: Delivery,
}

/// The machine-readable cause of an error, with the fields of gRPC's `google.rpc.ErrorInfo`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorDetails {
    /// The cause as a constant, such as `QUOTA_EXCEEDED`.
    pub reason: String,
    /// The system that defines the reason, such as `dapr.io`.
    pub domain: String,
    /// Additional details by name.
    pub metadata: BTreeMap<String, String>,
}

/// The kinds of failure, which are the error codes of gRPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorKind {
    /// The caller cancelled the call.
    Cancelled,
    /// The cause is unknown.
    Unknown,
    /// The request is invalid, regardless of the state of the system.
    InvalidArgument,
    /// The call took too long.
    DeadlineExceeded,
    /// Something that the request names does not exist.
    NotFound,
    /// Something that the request creates already exists.
    AlreadyExists,
    /// The caller lacks permission.
    PermissionDenied,
    /// A quota or a limit is exhausted.
    ResourceExhausted,
    /// The system is not in a state that allows the call.
    FailedPrecondition,
    /// The call conflicted with a concurrent operation.
    Aborted,
    /// The call exceeded the valid range.
    OutOfRange,
    /// The operation is not implemented.
    Unimplemented,
    /// An internal error.
    Internal,
    /// The service is unavailable. A retry may succeed.
    Unavailable,
    /// Data is lost or corrupted.
    DataLoss,
    /// The caller is not authenticated.
    Unauthenticated,
}

impl ProviderError {
    /// Creates an error without details.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message, details: None, retry_after: None, delivery: Delivery::default() }
    }

    /// Creates the error for a response that breaks off on purpose.
    pub fn broken_off(delivery: Delivery) -> Self {
        let message = match delivery {
            Delivery::Reset => "the connection is reset on purpose",
            _ => "the response breaks off on purpose",
        };
        Self { delivery, ..Self::new(ErrorKind::Unavailable, message) }
    }

    /// Creates an internal error.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }
}

impl ErrorKind {
    /// All kinds, each with its gRPC name.
    pub const ALL: [(&'static str, Self); 16] = [
        ("CANCELLED", Self::Cancelled),
        ("UNKNOWN", Self::Unknown),
        ("INVALID_ARGUMENT", Self::InvalidArgument),
        ("DEADLINE_EXCEEDED", Self::DeadlineExceeded),
        ("NOT_FOUND", Self::NotFound),
        ("ALREADY_EXISTS", Self::AlreadyExists),
        ("PERMISSION_DENIED", Self::PermissionDenied),
        ("RESOURCE_EXHAUSTED", Self::ResourceExhausted),
        ("FAILED_PRECONDITION", Self::FailedPrecondition),
        ("ABORTED", Self::Aborted),
        ("OUT_OF_RANGE", Self::OutOfRange),
        ("UNIMPLEMENTED", Self::Unimplemented),
        ("INTERNAL", Self::Internal),
        ("UNAVAILABLE", Self::Unavailable),
        ("DATA_LOSS", Self::DataLoss),
        ("UNAUTHENTICATED", Self::Unauthenticated),
    ];

    /// Returns the gRPC name.
    pub fn as_str(self) -> &'static str {
        // The names are in the order of the kinds.
        Self::ALL[self as usize].0
    }
}
