//! The connection to a sidecar, and the calls over it.

use std::io::{self, ErrorKind};

use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use tonic::{
    Request, Status, Streaming,
    metadata::AsciiMetadataValue,
    transport::{self, Channel},
};

use super::{Error, address::Address, error::root_cause};
use crate::{
    provider::CallContext,
    wire::{
        headers::SESSION,
        proto::{
            ConversationRequestAlpha2, ConversationResponseAlpha2,
            ConversationStreamResponseAlpha2, GetMetadataRequest, dapr_client::DaprClient,
        },
        refusal::Refusal,
    },
};

/// The longest message that a sidecar may send.
const MAX_MESSAGE: usize = 64 << 20;

/// A sidecar that is connected. Clones share the connection.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    dapr: DaprClient<Channel>,
    token: Option<AsciiMetadataValue>,
    context: CallContext,
    /// As it was written.
    pub(super) address: String,
}

/// The messages of a streamed answer.
pub(crate) type Pieces = BoxStream<'static, Result<ConversationStreamResponseAlpha2, Error>>;

impl Client {
    /// Connects; the token is Dapr's, and an empty one is none.
    pub(crate) async fn connect(address: Address, token: Option<&str>) -> Result<Self, Error> {
        let token = token.filter(|token| !token.is_empty()).map(str::parse).transpose();
        let mut token: Option<AsciiMetadataValue> = token.map_err(|_| Error::InvalidToken)?;
        token.iter_mut().for_each(|token| token.set_sensitive(true));
        let Address { text: address, endpoint } = address;
        let channel = endpoint.connect().await.map_err(|error| no_connection(&address, &error))?;
        let dapr = DaprClient::new(channel).max_decoding_message_size(MAX_MESSAGE);
        Ok(Self { dapr, token, context: CallContext::default(), address })
    }

    /// Returns a client whose calls have the session and the deadline of `context`.
    pub(crate) fn for_call(&self, context: CallContext) -> Self {
        Self { context, ..self.clone() }
    }

    /// The name of the one conversation component that the sidecar has.
    pub(crate) async fn only_component(&mut self) -> Result<String, Error> {
        let request = self.request(GetMetadataRequest {});
        let metadata = self.dapr.get_metadata(request).await.map_err(self.failed())?;
        let components = metadata.into_inner().registered_components.into_iter();
        let components =
            components.filter(|component| component.r#type.starts_with("conversation."));
        let mut names: Vec<_> = components.map(|component| component.name).collect();
        names.sort();
        match names.len() {
            0 => Err(Error::NoComponent(self.address.clone())),
            1 => Ok(names.remove(0)),
            _ => Err(Error::SeveralComponents { address: self.address.clone(), names }),
        }
    }

    /// The whole answer.
    pub(crate) async fn converse(
        &mut self,
        request: ConversationRequestAlpha2,
    ) -> Result<ConversationResponseAlpha2, Error> {
        let request = self.request(request);
        let answer = self.dapr.converse_alpha2(request).await.map_err(self.failed())?;
        Ok(answer.into_inner())
    }

    /// The answer as it arrives; `None` from a sidecar that does not stream.
    pub(crate) async fn stream(
        &mut self,
        request: ConversationRequestAlpha2,
    ) -> Result<Option<Pieces>, Error> {
        let failed = self.failed();
        match self.open(request).await {
            Ok((first, rest)) => {
                let pieces = stream::iter(first.map(Ok)).chain(rest);
                Ok(Some(pieces.map_err(failed).boxed()))
            }
            Err(status) if Refusal::of(&status) == Refusal::NotServed => Ok(None),
            Err(status) => Err(failed(status)),
        }
    }

    /// A refusal may come in the place of the first message.
    async fn open(
        &mut self,
        request: ConversationRequestAlpha2,
    ) -> Result<
        (Option<ConversationStreamResponseAlpha2>, Streaming<ConversationStreamResponseAlpha2>),
        Status,
    > {
        let request = self.request(request);
        let mut pieces = self.dapr.converse_stream_alpha2(request).await?.into_inner();
        Ok((pieces.message().await?, pieces))
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(token) = &self.token {
            request.metadata_mut().insert("dapr-api-token", token.clone());
        }
        if let Some(session) = self.context.session.as_deref().and_then(|text| text.parse().ok()) {
            request.metadata_mut().insert(SESSION, session);
        }
        if let Some(deadline) = self.context.deadline {
            request.set_timeout(deadline.remaining());
        }
        request
    }

    fn failed(&self) -> impl Fn(Status) -> Error + Send + 'static + use<> {
        let address = self.address.clone();
        move |status| Error::Call { address: address.clone(), status }
    }
}

fn no_connection(address: &str, error: &transport::Error) -> Error {
    let (address, cause) = (address.to_owned(), root_cause(error));
    match cause.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(ErrorKind::ConnectionRefused | ErrorKind::NotFound) => Error::NotListening(address),
        _ => Error::Unreachable { address, reason: cause.to_string() },
    }
}
