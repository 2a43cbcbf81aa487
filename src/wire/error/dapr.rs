//! Dapr's API: maps every error to its codes and to a gRPC status.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use prost::{Message, Name};
use prost_types::Any;
use tonic::{Code, Status, body::Body};

use super::{Error, shortened};
use crate::{
    chat::{self, ErrorKind, ProviderError},
    wire::rpc::{self, ErrorInfo, RetryInfo},
};

impl Error {
    /// Returns the name of the gRPC code, such as `NOT_FOUND`.
    pub(crate) fn code_name(&self) -> &'static str {
        let code = self.codes().0;
        let name = ErrorKind::ALL.iter().find(|(_, kind)| provider_row(*kind).0 == code);
        name.map_or("OK", |(name, _)| name)
    }

    /// Returns the gRPC code, the HTTP status and the `errorCode` for daprd's HTTP bodies.
    pub(super) fn codes(&self) -> (Code, StatusCode, &'static str) {
        use StatusCode as Http;
        use chat::Error as Chat;
        match self {
            Self::Chat(Chat::UnknownComponent(_)) => {
                (Code::InvalidArgument, Http::BAD_REQUEST, "ERR_CONVERSATION_NOT_FOUND")
            }
            Self::Chat(Chat::MissingInputs { .. }) => {
                (Code::InvalidArgument, Http::BAD_REQUEST, "ERR_CONVERSATION_MISSING_INPUTS")
            }
            // Dapr spells it this way.
            Self::Chat(Chat::InvalidParams { .. }) => {
                (Code::InvalidArgument, Http::BAD_REQUEST, "ERR_CONVERSATION_INVALID_PARMS")
            }
            Self::Chat(Chat::Provider { error, .. }) => {
                let (grpc, http) = provider_row(error.kind);
                (grpc, http, "ERR_CONVERSATION_INVOKE")
            }
            Self::Chat(Chat::Metadata(_)) => (Code::Unknown, Http::INTERNAL_SERVER_ERROR, "ERROR"),
            Self::MalformedMessage(_) => {
                (Code::Internal, Http::BAD_REQUEST, "ERR_MALFORMED_REQUEST")
            }
            Self::RequestTooLarge { .. } => {
                (Code::ResourceExhausted, Http::BAD_REQUEST, "ERR_BODY_READ")
            }
            Self::ResponseTooLarge { .. } => {
                (Code::ResourceExhausted, Http::INTERNAL_SERVER_ERROR, "ERR_CONVERSATION_INVOKE")
            }
            Self::BodyRead(_) => (Code::ResourceExhausted, Http::BAD_REQUEST, "ERR_BODY_READ"),
            Self::BodyTimeout => (Code::DeadlineExceeded, Http::REQUEST_TIMEOUT, "ERR_BODY_READ"),
            Self::Chat(Chat::MemoryLimit(_)) => {
                (Code::ResourceExhausted, Http::SERVICE_UNAVAILABLE, "ERR_MEMORY_LIMIT")
            }
            Self::NotGrpc(_) => {
                (Code::InvalidArgument, Http::UNSUPPORTED_MEDIA_TYPE, "ERR_MALFORMED_REQUEST")
            }
            Self::NotPost(_) => (Code::Internal, Http::METHOD_NOT_ALLOWED, "ERR_MALFORMED_REQUEST"),
            Self::MalformedBody(_)
            | Self::MalformedPath(_)
            | Self::AmbiguousHeaders(_)
            | Self::InvalidRequest { .. }
            | Self::PreviousResponseNotFound(_)
            | Self::SessionName { .. }
            | Self::NoSessionName
            | Self::MissingInstance
            | Self::InvalidMetadata(_)
            | Self::UnknownOperation(_) => {
                (Code::InvalidArgument, Http::BAD_REQUEST, "ERR_MALFORMED_REQUEST")
            }
            Self::NotInitialized(_) => {
                (Code::FailedPrecondition, Http::BAD_REQUEST, "ERR_CONVERSATION_NOT_FOUND")
            }
            Self::UnknownModel { .. } | Self::ItemNotFound(_) | Self::ResponseNotFound(_) => {
                (Code::NotFound, Http::NOT_FOUND, "ERR_CONVERSATION_NOT_FOUND")
            }
            Self::NotServed | Self::OpenAiNotServed => {
                (Code::Unimplemented, Http::NOT_FOUND, "ERR_DIRECT_INVOKE")
            }
            Self::MetadataFull { .. } | Self::TooManyInstances(_) => {
                (Code::ResourceExhausted, Http::TOO_MANY_REQUESTS, "ERR_METADATA_FULL")
            }
            Self::AppIdMismatch => (
                Code::FailedPrecondition,
                Http::INTERNAL_SERVER_ERROR,
                "ERR_HEALTH_APPID_NOT_MATCH",
            ),
            Self::UnknownService => {
                (Code::NotFound, Http::NOT_FOUND, "ERR_HEALTH_SERVICE_NOT_FOUND")
            }
            Self::Unauthorized(_) => {
                (Code::Unauthenticated, Http::UNAUTHORIZED, "ERR_UNAUTHORIZED")
            }
            Self::DaprdUnavailable { .. } => {
                (Code::Unavailable, Http::SERVICE_UNAVAILABLE, "ERR_DAPRD_UNAVAILABLE")
            }
            Self::Forbidden(_) => (Code::PermissionDenied, Http::FORBIDDEN, "ERR_FORBIDDEN"),
        }
    }
}

/// Maps a provider's error kind to a gRPC code and an HTTP status.
fn provider_row(kind: ErrorKind) -> (Code, StatusCode) {
    use StatusCode as Http;
    match kind {
        // nginx's status for a request that the client cancelled. HTTP does not define one.
        ErrorKind::Cancelled => {
            (Code::Cancelled, Http::from_u16(499).unwrap_or(Http::REQUEST_TIMEOUT))
        }
        ErrorKind::Unknown => (Code::Unknown, Http::INTERNAL_SERVER_ERROR),
        ErrorKind::InvalidArgument => (Code::InvalidArgument, Http::BAD_REQUEST),
        ErrorKind::DeadlineExceeded => (Code::DeadlineExceeded, Http::GATEWAY_TIMEOUT),
        ErrorKind::NotFound => (Code::NotFound, Http::NOT_FOUND),
        ErrorKind::AlreadyExists => (Code::AlreadyExists, Http::CONFLICT),
        ErrorKind::PermissionDenied => (Code::PermissionDenied, Http::FORBIDDEN),
        ErrorKind::ResourceExhausted => (Code::ResourceExhausted, Http::TOO_MANY_REQUESTS),
        ErrorKind::FailedPrecondition => (Code::FailedPrecondition, Http::BAD_REQUEST),
        ErrorKind::Aborted => (Code::Aborted, Http::CONFLICT),
        ErrorKind::OutOfRange => (Code::OutOfRange, Http::BAD_REQUEST),
        ErrorKind::Unimplemented => (Code::Unimplemented, Http::NOT_IMPLEMENTED),
        ErrorKind::Internal => (Code::Internal, Http::INTERNAL_SERVER_ERROR),
        ErrorKind::Unavailable => (Code::Unavailable, Http::SERVICE_UNAVAILABLE),
        ErrorKind::DataLoss => (Code::DataLoss, Http::INTERNAL_SERVER_ERROR),
        ErrorKind::Unauthenticated => (Code::Unauthenticated, Http::UNAUTHORIZED),
    }
}

impl From<Error> for Status {
    #[cold]
    fn from(error: Error) -> Self {
        let message = error.message();
        status(error, message)
    }
}

/// Converts an error for daprd, which adds the component's name to the message itself.
#[cold]
pub(crate) fn component_status(error: Error) -> Status {
    let message = error.provider_message();
    let message = shortened(&message).unwrap_or_else(|| message.into_owned());
    status(error, message)
}

/// Converts the error of a request that is not a gRPC call. Only its response has another HTTP status
/// than 200.
#[cold]
pub(crate) fn not_grpc(error: Error) -> Response<Body> {
    let http = error.codes().1;
    let mut response = Status::from(error).into_http();
    *response.status_mut() = http;
    response
}

fn status(error: Error, message: String) -> Status {
    let code = error.codes().0;
    let details = match error {
        Error::Unauthorized(wrong) => vec![unauthorized(&message, &wrong.to_string())],
        Error::NotInitialized(_) => vec![not_initialized()],
        Error::Chat(chat::Error::Provider { error, .. }) => provider_details(&error),
        _ => Vec::new(),
    };
    with_details(code, message, details)
}

fn with_details(code: Code, message: String, details: Vec<Any>) -> Status {
    if details.is_empty() {
        return Status::new(code, message);
    }
    let status = rpc::Status { code: code.into(), message, details };
    let encoded: Bytes = status.encode_to_vec().into();
    Status::with_details(code, status.message, encoded)
}

/// Shortens the message of the status in headers or trailers if clients would reject it.
pub(crate) fn shorten_status(headers: &mut HeaderMap) {
    let Some(status) = Status::from_header_map(headers) else { return };
    if let Some(message) = shortened(status.message()) {
        let details = Bytes::copy_from_slice(status.details());
        // Fails only if a header is invalid, and they were valid before.
        let _ = Status::with_details(status.code(), message, details).add_header(headers);
    }
}

/// Returns the detail that daprd sends if the token is missing or wrong.
fn unauthorized(message: &str, reason: &str) -> Any {
    let metadata = [("http.code", "401"), ("http.error_message", reason)];
    any(&ErrorInfo {
        reason: message.to_owned(),
        domain: "dapr.io".to_owned(),
        metadata: metadata.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    })
}

/// Returns the detail by which a client of the component socket knows that it must initialize the
/// instance again.
fn not_initialized() -> Any {
    any(&ErrorInfo {
        reason: "COMPONENT_NOT_INITIALIZED".to_owned(),
        domain: "dapr.io".to_owned(),
        metadata: BTreeMap::new(),
    })
}

pub(super) fn provider_details(error: &ProviderError) -> Vec<Any> {
    let info = error.details.as_ref().map(|details| {
        any(&ErrorInfo {
            reason: details.reason.clone(),
            domain: details.domain.clone(),
            metadata: details.metadata.clone(),
        })
    });
    let retry = error.retry_after.map(|wait| {
        // Omit a wait that does not fit, which is more than 10,000 years.
        any(&RetryInfo { retry_delay: wait.try_into().ok() })
    });
    info.into_iter().chain(retry).collect()
}

fn any<M: Message + Name>(message: &M) -> Any {
    let type_url = format!("type.googleapis.com/{}", M::full_name());
    Any { type_url, value: message.encode_to_vec() }
}
