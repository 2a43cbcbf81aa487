//! Call errors, and the table that maps each error to codes and bodies.

mod http;
mod dapr;

use std::{borrow::Cow, time::Duration};

use thiserror::Error as ThisError;

pub use self::http::HttpError;
pub(crate) use self::{
    dapr::{component_status, not_grpc, shorten_status},
    http::{ControlError, json_body, openai_code},
};
use super::routes::{OPENAI_ROUTES, not_served};
use crate::{
    base::{memory::MemoryExhausted, timeouts::BODY_TIMEOUT},
    chat::{self, Delivery},
};

/// Maximum size of an error message in bytes. A message may quote the request, so it could be
/// large. gRPC sends it percent-encoded in a header, and clients accept about 16 KiB of headers.
const MAX_MESSAGE: usize = 4096;
const ELLIPSIS: &str = "…";

/// The reason why a call failed, on any surface. If daprd has the same error, the message is
/// daprd's.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Error {
    /// The conversation itself failed.
    #[error(transparent)]
    Chat(#[from] chat::Error),
    /// The request is not a valid protobuf message of the type that the method takes.
    #[error("grpc: error unmarshalling request: {0}")]
    MalformedMessage(String),
    /// The request exceeds the size limit.
    #[error("grpc: received message larger than max ({got} vs. {limit})")]
    RequestTooLarge {
        /// Size of the request in bytes.
        got: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The response exceeds the size limit.
    #[error("grpc: trying to send message larger than max ({size} vs. {limit})")]
    ResponseTooLarge {
        /// Size of the response in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The HTTP body could not be read or exceeds the size limit.
    #[error("failed to read request body: {0}")]
    BodyRead(String),
    /// The request did not arrive in full within the time limit.
    #[error("failed to read request body: not complete after {} s", BODY_TIMEOUT.as_secs())]
    BodyTimeout,
    /// The HTTP body is not valid proto JSON for the message that the path takes.
    #[error("failed deserializing HTTP body: proto: {0}")]
    MalformedBody(String),
    /// A request on a gRPC port is not a gRPC call. The text is that of gRPC for Go.
    #[error("invalid gRPC request content-type {0:?}")]
    NotGrpc(String),
    /// A request on a gRPC port has another method than POST. The text is that of gRPC for Go.
    #[error("Received a HEADERS frame with :method {0:?} which should be POST")]
    NotPost(String),
    /// The percent-encoding of a path parameter is invalid.
    #[error("failed to unescape request parameter {0:?}")]
    MalformedPath(String),
    /// mynah does not serve the path or method. daprd may serve it.
    #[error("{}", not_served())]
    NotServed,
    /// mynah does not serve the path or method of OpenAI's API.
    #[error("of OpenAI's API, mynah serves only {}", OPENAI_ROUTES.join(", "))]
    OpenAiNotServed,
    /// A request of OpenAI's API is invalid or asks for something that mynah does not support.
    #[error("{reason}")]
    InvalidRequest {
        /// The path of the key, such as `messages[0].role`.
        param: Option<String>,
        /// What is wrong, and what would be valid.
        reason: String,
    },
    /// A request of OpenAI's API names a model that stands for no component.
    #[error("the model {model:?} does not exist; mynah serves: {}", served.join(", "))]
    UnknownModel {
        /// The model, or an empty text.
        model: String,
        /// The names of the components.
        served: Vec<String>,
    },
    /// A request of OpenAI's API continues a response that is not kept. The text begins with OpenAI's.
    #[error(
        "Previous response with id '{0}' not found. mynah keeps the latest responses of each session, \
         unless their requests have \"store\": false"
    )]
    PreviousResponseNotFound(String),
    /// A request of OpenAI's API refers to an item of a response that is not kept.
    #[error("Item with id '{0}' not found.")]
    ItemNotFound(String),
    /// A request of OpenAI's API reads or removes a response that is not kept.
    #[error("Response with id '{0}' not found.")]
    ResponseNotFound(String),
    /// A call over the component socket does not name its instance.
    #[error(
        "the metadata key \"x-component-instance\" is missing; expected the name of a component"
    )]
    MissingInstance,
    /// A call over the component socket names an instance that has no settings.
    #[error(
        "component {0} was not initialised since mynah started: restart daprd or edit its YAML"
    )]
    NotInitialized(String),
    /// The settings of an instance are invalid.
    #[error("invalid metadata: {0}")]
    InvalidMetadata(String),
    /// There are too many instances.
    #[error("there are already {0} instances")]
    TooManyInstances(usize),
    /// A binding has no such operation.
    #[error("unknown operation {0:?}; expected converse or get")]
    UnknownOperation(String),
    /// The name of the session is too long.
    #[error("the session name has {got} bytes; expected at most {limit}")]
    SessionName {
        /// Length of the name in bytes.
        got: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The name of the session is empty, or a header with it is not UTF-8.
    #[error(
        "the session name is empty or, in a header, not UTF-8; leave it out for the session default"
    )]
    NoSessionName,
    /// The sidecar's labels have reached a limit.
    #[error("metadata is full: it holds at most {max_keys} keys and {max_bytes} bytes")]
    MetadataFull {
        /// Maximum number of labels.
        max_keys: usize,
        /// Maximum total size of all names and values in bytes.
        max_bytes: usize,
    },
    /// A health check named another application.
    #[error("dapr app-id does not match")]
    AppIdMismatch,
    /// A health check over gRPC named another service.
    #[error("service not registered")]
    UnknownService,
    /// The API token is missing or wrong.
    #[error("Unauthorized")]
    Unauthorized(WrongToken),
    /// The sidecar that calls are passed on to cannot be reached, or has closed the connection.
    #[error("daprd at {address} is not available: {reason}")]
    DaprdUnavailable {
        /// The address of the sidecar.
        address: String,
        /// What has failed.
        reason: String,
    },
    /// A header that must be unique is repeated, or two headers contradict each other.
    #[error("the request has {0}")]
    AmbiguousHeaders(&'static str),
    /// A browser sent the request on behalf of a page of another site.
    #[error("{0}; browser calls are limited to this machine and the hosts in --allowed-hosts")]
    Forbidden(String),
}

/// The problem with the API token of a call. The messages are daprd's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum WrongToken {
    /// The call has no token.
    #[error("missing api token in request metadata")]
    Missing,
    /// The call has a token that differs from the sidecar's.
    #[error("authentication error: api token mismatch")]
    Mismatch,
}

impl Error {
    /// Returns the message for the client, truncated if it is too long for a header.
    pub fn message(&self) -> String {
        let text = self.to_string();
        shortened(&text).unwrap_or(text)
    }

    /// Returns the name of the component that the call was for, as far as the error knows it.
    pub(crate) fn component(&self) -> Option<&str> {
        use chat::Error as Chat;
        match self {
            Self::Chat(Chat::UnknownComponent(name)) | Self::NotInitialized(name) => Some(name),
            Self::Chat(
                Chat::MissingInputs { component }
                | Chat::InvalidParams { component, .. }
                | Chat::Provider { component, .. },
            ) => Some(component),
            Self::UnknownModel { model, .. } => Some(model),
            _ => None,
        }
    }

    /// Returns `true` if the request could not be decoded.
    pub(crate) fn is_malformed(&self) -> bool {
        matches!(
            self,
            Self::MalformedMessage(_) | Self::MalformedBody(_) | Self::InvalidRequest { .. }
        )
    }

    /// Returns the time after which the client is told to retry.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let Self::Chat(chat::Error::Provider { error, .. }) = self else { return None };
        error.retry_after
    }

    /// Returns how the error reaches the client.
    pub(crate) fn delivery(&self) -> Delivery {
        match self {
            Self::Chat(chat::Error::Provider { error, .. }) => error.delivery,
            _ => Delivery::default(),
        }
    }

    /// Returns the message without Dapr's prefix, which names the component.
    pub(crate) fn provider_message(&self) -> Cow<'_, str> {
        match self {
            Self::Chat(chat::Error::Provider { error, .. }) => Cow::Borrowed(&error.message),
            Self::Chat(chat::Error::InvalidParams { reason, .. }) => Cow::Owned(reason.to_string()),
            error => Cow::Owned(error.message()),
        }
    }
}

/// Returns a shorter message if this one would not fit into a header.
fn shortened(message: &str) -> Option<String> {
    let end = message.floor_char_boundary(MAX_MESSAGE - ELLIPSIS.len());
    (message.len() > MAX_MESSAGE).then(|| format!("{}{ELLIPSIS}", &message[..end]))
}

impl From<MemoryExhausted> for Error {
    fn from(error: MemoryExhausted) -> Self {
        Self::Chat(error.into())
    }
}

impl From<prost::DecodeError> for Error {
    fn from(error: prost::DecodeError) -> Self {
        Self::MalformedMessage(innermost(&error))
    }
}

/// Returns the innermost cause of a decode error. prost's message lists every field on the path to
/// the cause, which can fill pages for a deeply nested message.
pub(crate) fn innermost(error: &prost::DecodeError) -> String {
    let text = error.to_string();
    match text.rsplit(": ").next().unwrap_or_default() {
        "recursion limit reached" => "message is nested too deeply".to_owned(),
        cause => cause.to_owned(),
    }
}
