use std::{collections::BTreeMap, time::Duration};

use thiserror::Error as ThisError;

/// Why a provider could not answer.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{message}")]
pub struct ProviderError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// In words for the client.
    pub message: String,
    /// For programs.
    pub details: Option<Box<ErrorDetails>>,
    /// When it is worth trying again.
    pub retry_after: Option<Duration>,
}

/// The cause of an error, for programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorDetails {
    /// What went wrong, in a word.
    pub reason: String,
    /// Who says so.
    pub domain: String,
    /// More about it, by name.
    pub metadata: BTreeMap<String, String>,
}

/// The kinds of failure that gRPC tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller gave up.
    Cancelled,
    /// Nothing is known about it.
    Unknown,
    /// The request is wrong, whatever the state of the system.
    InvalidArgument,
    /// It took too long.
    DeadlineExceeded,
    /// What is asked for is not there.
    NotFound,
    /// What shall be made is there already.
    AlreadyExists,
    /// The caller may not do this.
    PermissionDenied,
    /// A quota is used up.
    ResourceExhausted,
    /// The system is not in a state for it.
    FailedPrecondition,
    /// Somebody else got in the way.
    Aborted,
    /// It goes past the end.
    OutOfRange,
    /// Nobody does this here.
    Unimplemented,
    /// Something is broken.
    Internal,
    /// It may work later.
    Unavailable,
    /// Data is lost for good.
    DataLoss,
    /// Nobody knows who calls.
    Unauthenticated,
}

impl ProviderError {
    /// An error that is a kind and a message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: None, retry_after: None }
    }

    /// The provider itself is broken.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }
}

impl ErrorKind {
    /// Every kind, with gRPC's name for it.
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
}
