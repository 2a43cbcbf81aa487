//! The one table of errors: what each is over gRPC and over HTTP.

use bytes::Bytes;
use http::StatusCode;
use prost::{Message, Name};
use prost_types::Any;
use serde_json::Value;
use thiserror::Error as ThisError;
use tonic::{Code, Status};

use super::{
    json,
    rpc::{self, ErrorInfo, RetryInfo},
};
use crate::{
    base::timeouts::BODY_TIMEOUT,
    chat::{self, ErrorKind, ProviderError},
};

/// Bytes of an error's text. It may quote the client, and gRPC sends it in a header, escaped, which
/// clients take up to 16 KiB of.
const MAX_MESSAGE: usize = 4096;
const CUT: &str = "…";

/// Why a call failed, on any surface. Texts and codes are daprd's.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Error {
    /// The conversation itself failed.
    #[error(transparent)]
    Chat(#[from] chat::Error),
    /// The bytes are not the protobuf message that the method takes.
    #[error("grpc: error unmarshalling request: {0}")]
    MalformedMessage(String),
    /// A message longer than the limit arrived.
    #[error("grpc: received message larger than max ({got} vs. {limit})")]
    RequestTooLarge {
        /// Bytes announced.
        got: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// The answer would be longer than the limit.
    #[error("grpc: trying to send message larger than max ({size} vs. {limit})")]
    ResponseTooLarge {
        /// Bytes of the answer.
        size: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// An HTTP body could not be read, or is longer than the limit.
    #[error("failed to read request body: {0}")]
    BodyRead(String),
    /// The message of a call did not come in time.
    #[error("failed to read request body: it did not come within {} s", BODY_TIMEOUT.as_secs())]
    BodyTimeout,
    /// An HTTP body is not proto JSON of the message that the path takes.
    #[error("failed deserializing HTTP body: proto: {0}")]
    MalformedBody(String),
    /// A path parameter has a broken escape.
    #[error("failed to unescape request parameter {0:?}")]
    MalformedPath(String),
    /// daprd has such a path or method, or may have it; mynah has not.
    #[error("{}", NOT_SERVED)]
    NotServed,
    /// The labels of the sidecar are full.
    #[error("metadata is full: it holds at most {max_keys} keys and {max_bytes} bytes")]
    MetadataFull {
        /// Most labels.
        max_keys: usize,
        /// Most bytes of all names and values.
        max_bytes: usize,
    },
    /// A health check asked for another application.
    #[error("dapr app-id does not match")]
    AppIdMismatch,
    /// The API token is missing or wrong.
    #[error("Unauthorized")]
    Unauthorized(WrongToken),
    /// A page in a browser sent the request, and not one of the application's own.
    #[error(
        "{0}; mynah answers programs on this machine, and browsers only under the names in --allowed-hosts"
    )]
    Forbidden(String),
}

/// What is wrong with the API token of a call, in daprd's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum WrongToken {
    /// There is none.
    #[error("missing api token in request metadata")]
    Missing,
    /// It is another one.
    #[error("authentication error: api token mismatch")]
    Mismatch,
}

/// What mynah says to a call that only daprd can answer.
pub const NOT_SERVED: &str = "mynah serves the conversation API only: \
    POST /v1.0-alpha1/conversation/{name}/converse, POST /v1.0-alpha2/conversation/{name}/converse, \
    GET /v1.0/healthz, GET /v1.0/healthz/outbound, GET /v1.0/metadata, PUT /v1.0/metadata/{key}, \
    POST /v1.0/shutdown; over gRPC, ConverseAlpha1, ConverseAlpha2, ConverseStreamAlpha1, \
    ConverseStreamAlpha2, GetMetadata, SetMetadata and Shutdown";

impl Error {
    /// The table: gRPC code, HTTP status, daprd's `errorCode`.
    fn row(&self) -> (Code, StatusCode, &'static str) {
        use StatusCode as Http;
        use chat::Error as Chat;
        match self {
            Self::Chat(Chat::UnknownComponent(_)) => {
                (Code::InvalidArgument, Http::BAD_REQUEST, "ERR_CONVERSATION_NOT_FOUND")
            }
            Self::Chat(Chat::MissingInputs { .. }) => {
                (Code::InvalidArgument, Http::BAD_REQUEST, "ERR_CONVERSATION_MISSING_INPUTS")
            }
            // Dapr spells it so.
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
            Self::MalformedBody(_) => {
                (Code::InvalidArgument, Http::BAD_REQUEST, "ERR_MALFORMED_REQUEST")
            }
            Self::MalformedPath(_) => {
                (Code::InvalidArgument, Http::BAD_REQUEST, "ERR_MALFORMED_REQUEST")
            }
            Self::NotServed => (Code::Unimplemented, Http::NOT_FOUND, "ERR_DIRECT_INVOKE"),
            Self::MetadataFull { .. } => {
                (Code::ResourceExhausted, Http::TOO_MANY_REQUESTS, "ERR_METADATA_FULL")
            }
            Self::AppIdMismatch => (
                Code::FailedPrecondition,
                Http::INTERNAL_SERVER_ERROR,
                "ERR_HEALTH_APPID_NOT_MATCH",
            ),
            Self::Unauthorized(_) => {
                (Code::Unauthenticated, Http::UNAUTHORIZED, "ERR_UNAUTHORIZED")
            }
            Self::Forbidden(_) => (Code::PermissionDenied, Http::FORBIDDEN, "ERR_FORBIDDEN"),
        }
    }

    /// The code over gRPC.
    pub fn grpc_code(&self) -> Code {
        self.row().0
    }

    /// The status over HTTP.
    pub fn http_status(&self) -> StatusCode {
        self.row().1
    }

    /// What the client reads: the text, or as much of it as fits into a header.
    pub fn message(&self) -> String {
        let mut text = self.to_string();
        if text.len() > MAX_MESSAGE {
            text.truncate(text.floor_char_boundary(MAX_MESSAGE - CUT.len()));
            text.push_str(CUT);
        }
        text
    }

    /// daprd's name for it in HTTP bodies.
    pub fn error_code(&self) -> &'static str {
        self.row().2
    }

    /// Seconds after which it is worth trying again, for HTTP's Retry-After.
    pub fn retry_after(&self) -> Option<u64> {
        let Self::Chat(chat::Error::Provider { error, .. }) = self else { return None };
        let wait = error.retry_after?;
        Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }

    /// What there is for programs in an HTTP body: the details of the gRPC status.
    pub(crate) fn json_details(&self) -> Option<Value> {
        let Self::Chat(chat::Error::Provider { error, .. }) = self else { return None };
        let details = provider_details(error);
        if details.is_empty() {
            return None;
        }
        let status = rpc::Status { details, ..rpc::Status::default() };
        let mut status: Value = json::value(&status).ok()?;
        status.get_mut("details").map(Value::take)
    }
}

/// The kinds of failure of a provider.
fn provider_row(kind: ErrorKind) -> (Code, StatusCode) {
    use StatusCode as Http;
    match kind {
        // Closed by the client, as everybody who has a status for it says.
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
        let (code, message) = (error.grpc_code(), error.message());
        let details = match error {
            Error::Unauthorized(wrong) => vec![unauthorized(&message, &wrong.to_string())],
            Error::Chat(chat::Error::Provider { error, .. }) => provider_details(&error),
            _ => Vec::new(),
        };
        if details.is_empty() {
            return Self::new(code, message);
        }
        let status = rpc::Status { code: code.into(), message, details };
        let encoded: Bytes = status.encode_to_vec().into();
        Self::with_details(code, status.message, encoded)
    }
}

/// daprd's details of a missing or wrong token.
fn unauthorized(message: &str, reason: &str) -> Any {
    let metadata = [("http.code", "401"), ("http.error_message", reason)];
    any(&ErrorInfo {
        reason: message.to_owned(),
        domain: "dapr.io".to_owned(),
        metadata: metadata.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    })
}

fn provider_details(error: &ProviderError) -> Vec<Any> {
    let info = error.details.as_ref().map(|details| {
        any(&ErrorInfo {
            reason: details.reason.clone(),
            domain: details.domain.clone(),
            metadata: details.metadata.clone(),
        })
    });
    let retry = error.retry_after.map(|wait| {
        // Only centuries do not fit.
        any(&RetryInfo { retry_delay: wait.try_into().ok() })
    });
    info.into_iter().chain(retry).collect()
}

fn any<M: Message + Name>(message: &M) -> Any {
    let type_url = format!("type.googleapis.com/{}", M::full_name());
    Any { type_url, value: message.encode_to_vec() }
}

impl From<prost::DecodeError> for Error {
    fn from(error: prost::DecodeError) -> Self {
        Self::MalformedMessage(shorten(&error))
    }
}

/// The last words of the decoder; before them it lists every field on the way, which in a deep
/// message is pages.
pub(crate) fn shorten(error: &prost::DecodeError) -> String {
    let text = error.to_string();
    let last = text.rsplit(": ").next().unwrap_or_default();
    match last {
        "recursion limit reached" => "message is nested too deeply".to_owned(),
        words => words.to_owned(),
    }
}
