//! The address of a sidecar, a connection to it, and calls over it.

use std::{
    io::{self, ErrorKind},
    time::Duration,
};

use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use tonic::{
    Request, Status, Streaming,
    metadata::AsciiMetadataValue,
    transport::{self, Channel},
};

use super::{Error, error::root_cause};
use crate::{
    base::endpoint::{Endpoint, EndpointError},
    provider::CallContext,
    wire::{
        headers::SESSION,
        proto::{
            ConversationRequestAlpha2, ConversationResponseAlpha2,
            ConversationStreamResponseAlpha2, GetMetadataRequest, RegisteredComponents,
            dapr_client::DaprClient,
        },
        refusal::Refusal,
    },
};

/// Maximum size of a message from the sidecar, in bytes.
const MAX_MESSAGE_SIZE: usize = 64 << 20;

/// A client with a connection to a sidecar. Clones share the connection.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    dapr: DaprClient<Channel>,
    token: Option<AsciiMetadataValue>,
    context: CallContext,
    /// The address as the user wrote it.
    pub(super) address: String,
}

/// The messages of a streaming response.
pub(crate) type MessageStream = BoxStream<'static, Result<ConversationStreamResponseAlpha2, Error>>;

impl Client {
    /// Connects to a sidecar. `token` is Dapr's API token. An empty token counts as `None`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidToken`] if the token is not a valid header value,
    /// [`Error::NotListening`] if nothing listens at the address, or [`Error::Unreachable`] if the
    /// connection fails for another reason.
    pub(crate) async fn connect(address: Address, token: Option<&str>) -> Result<Self, Error> {
        let token = token.filter(|token| !token.is_empty()).map(str::parse).transpose();
        let mut token: Option<AsciiMetadataValue> = token.map_err(|_| Error::InvalidToken)?;
        // HTTP removes blanks around the value of a header, so the sidecar would get another token.
        if token.as_ref().is_some_and(|token| token.as_bytes().trim_ascii() != token.as_bytes()) {
            return Err(Error::InvalidToken);
        }
        token.iter_mut().for_each(|token| token.set_sensitive(true));
        let Address { text: address, channel } = address;
        let channel = channel.connect().await.map_err(|error| connect_error(&address, &error))?;
        let dapr = DaprClient::new(channel).max_decoding_message_size(MAX_MESSAGE_SIZE);
        Ok(Self { dapr, token, context: CallContext::default(), address })
    }

    /// Returns a client whose calls use the session and the deadline of `context`.
    pub(crate) fn for_call(&self, context: CallContext) -> Self {
        Self { context, ..self.clone() }
    }

    /// Returns the name of the sidecar's only conversation component.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoComponent`] or [`Error::SeveralComponents`] if the sidecar does not have
    /// exactly one conversation component, or [`Error::Call`] if the call fails.
    pub(crate) async fn only_component(&mut self) -> Result<String, Error> {
        let components = self.components().await?.into_iter();
        let mut names: Vec<_> = components.map(|component| component.name).collect();
        names.sort();
        match names.len() {
            0 => Err(Error::NoComponent(self.address.clone())),
            1 => Ok(names.remove(0)),
            _ => Err(Error::SeveralComponents { address: self.address.clone(), names }),
        }
    }

    /// Returns the conversation components that the sidecar lists.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Call`] if the call fails.
    pub(crate) async fn components(&mut self) -> Result<Vec<RegisteredComponents>, Error> {
        let request = self.request(GetMetadataRequest {});
        let metadata = self.dapr.get_metadata(request).await.map_err(self.call_error())?;
        let mut components = metadata.into_inner().registered_components;
        components.retain(|component| component.r#type.starts_with("conversation."));
        Ok(components)
    }

    /// Makes a unary call and returns the complete response.
    pub(crate) async fn converse(
        &mut self,
        request: ConversationRequestAlpha2,
    ) -> Result<ConversationResponseAlpha2, Error> {
        let request = self.request(request);
        let response = self.dapr.converse_alpha2(request).await.map_err(self.call_error())?;
        Ok(response.into_inner())
    }

    /// Makes a streaming call. Returns `None` if the sidecar does not support streaming.
    pub(crate) async fn stream(
        &mut self,
        request: ConversationRequestAlpha2,
    ) -> Result<Option<MessageStream>, Error> {
        let call_error = self.call_error();
        match self.open(request).await {
            Ok((first, rest)) => {
                let messages = stream::iter(first.map(Ok)).chain(rest);
                Ok(Some(messages.map_err(call_error).boxed()))
            }
            Err(status) if Refusal::of(&status) == Refusal::NotServed => Ok(None),
            Err(status) => Err(call_error(status)),
        }
    }

    /// Opens a stream and waits for its first message, because some servers do not report an error
    /// before that.
    async fn open(
        &mut self,
        request: ConversationRequestAlpha2,
    ) -> Result<
        (Option<ConversationStreamResponseAlpha2>, Streaming<ConversationStreamResponseAlpha2>),
        Status,
    > {
        let request = self.request(request);
        let mut messages = self.dapr.converse_stream_alpha2(request).await?.into_inner();
        Ok((messages.message().await?, messages))
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(token) = &self.token {
            request.metadata_mut().insert("dapr-api-token", token.clone());
        }
        if let Some(session) = self.context.session.as_deref().and_then(|text| text.parse().ok()) {
            request.metadata_mut().insert(SESSION.as_str(), session);
        }
        if let Some(deadline) = self.context.deadline {
            request.set_timeout(deadline.remaining());
        }
        request
    }

    fn call_error(&self) -> impl Fn(Status) -> Error + Send + 'static + use<> {
        let address = self.address.clone();
        move |status| Error::Call { address: address.clone(), status }
    }
}

fn connect_error(address: &str, error: &transport::Error) -> Error {
    let (address, cause) = (address.to_owned(), root_cause(error));
    match cause.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(ErrorKind::ConnectionRefused | ErrorKind::NotFound) => Error::NotListening(address),
        _ => Error::Unreachable { address, reason: cause.to_string() },
    }
}

/// The time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two HTTP/2 pings. A call without a deadline has no time limit, so pings are
/// needed to detect a sidecar that is gone.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// The time limit for the response to a ping.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The gRPC address of a sidecar.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// The address as the user wrote it.
    pub(super) text: String,
    pub(super) channel: transport::Endpoint,
}

impl Address {
    /// Returns the address in `DAPR_GRPC_ENDPOINT`. If it is not set, returns the local address
    /// with the port in `DAPR_GRPC_PORT`, which is 50001 by default.
    #[cfg(feature = "server")]
    pub(crate) fn from_environment(
        environment: &crate::base::environment::Environment,
    ) -> Result<Self, Error> {
        // Like Dapr's SDKs, treat an empty variable as not set.
        let variable = |name| environment.get(name).filter(|value| !value.is_empty());
        match variable("DAPR_GRPC_ENDPOINT") {
            Some(address) => Self::parse(address.to_owned()),
            None => {
                let port = variable("DAPR_GRPC_PORT").unwrap_or("50001");
                Self::parse(format!("127.0.0.1:{port}"))
            }
        }
    }

    /// Parses `host:port`, `http://host:port`, `dns:host:port` or `unix:path`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidAddress`] if the address is malformed, or [`Error::TlsUnsupported`]
    /// if it requires TLS.
    pub(crate) fn parse(text: String) -> Result<Self, Error> {
        let endpoint: Endpoint = text.parse().map_err(|error| match error {
            EndpointError::Invalid => Error::InvalidAddress(text.clone()),
            EndpointError::Tls => Error::TlsUnsupported(text.clone()),
        })?;
        let channel = transport::Endpoint::from_shared(endpoint.url())
            .and_then(|channel| channel.user_agent(concat!("mynah/", env!("CARGO_PKG_VERSION"))))
            .map_err(|_| Error::InvalidAddress(text.clone()))?
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        Ok(Self { text, channel })
    }
}
