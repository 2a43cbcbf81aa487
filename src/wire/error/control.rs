//! The control API: maps every error to an HTTP response.

use http::StatusCode;
use serde_json::json;
use thiserror::Error as ThisError;

use super::{Error, HttpError};
use crate::base::{blocking::Panicked, work::Stopped};

/// The reason why a request of the control API has no answer.
#[derive(Debug, ThisError)]
pub(crate) enum ControlError {
    /// The request is invalid. The text says what would be valid.
    #[error("{0}")]
    Invalid(String),
    /// A check has failed. The text is the JSON with the result.
    #[error("{0}")]
    Unverified(String),
    /// The path is served, but not with this method.
    #[error("{0}")]
    WrongMethod(String),
    /// The path is not served, or there is nothing to show.
    #[error("{0}")]
    NotFound(String),
    /// There is no memory for the rules of a session.
    #[error(
        "there is no room for these rules: those of all sessions take at most a quarter of \
         --max-memory; remove those of sessions that have ended, with DELETE \
         /mynah/v1/rules?session=NAME"
    )]
    RulesFull,
    /// A feature is turned off.
    #[error("{0}")]
    TurnedOff(&'static str),
    /// The call is not allowed, or its body cannot be read.
    #[error("{}", call_message(.0))]
    Call(#[from] Error),
    /// The work on the request stopped early.
    #[error("{0}; select fewer calls with session or since, or split the request")]
    Stopped(Stopped),
    /// Work on a blocking thread panicked.
    #[error("the control API panicked; see the log")]
    Panicked,
}

/// Returns the message of an error that calls of Dapr's API can also have.
fn call_message(error: &Error) -> String {
    match error {
        Error::Unauthorized(_) => format!("{error}; send the token in the header dapr-api-token"),
        _ => error.message(),
    }
}

impl From<Panicked> for ControlError {
    fn from(_: Panicked) -> Self {
        Self::Panicked
    }
}

impl From<Stopped> for ControlError {
    fn from(reason: Stopped) -> Self {
        match reason {
            Stopped::Memory(error) => Self::Call(error.into()),
            Stopped::Limit | Stopped::Cancelled => Self::Stopped(reason),
        }
    }
}

impl From<&ControlError> for HttpError {
    fn from(error: &ControlError) -> Self {
        let status = match error {
            ControlError::Invalid(_) => StatusCode::BAD_REQUEST,
            ControlError::Unverified(_) => StatusCode::CONFLICT,
            ControlError::WrongMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            ControlError::NotFound(_) => StatusCode::NOT_FOUND,
            ControlError::RulesFull | ControlError::TurnedOff(_) => StatusCode::SERVICE_UNAVAILABLE,
            ControlError::Call(error) => error.codes().1,
            ControlError::Stopped(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ControlError::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let body = match error {
            ControlError::Unverified(result) => result.clone(),
            error => json!({"error": error.to_string()}).to_string(),
        };
        Self {
            status,
            content_type: "application/json",
            retry_after: None,
            retry_after_ms: None,
            body,
        }
    }
}
