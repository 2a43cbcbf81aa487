//! A [`Provider`] that calls a component of another sidecar over gRPC.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::{
    FutureExt, StreamExt, TryFutureExt, TryStreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream, Stream},
};
#[cfg(feature = "server")]
use prost::Message as _;

use super::{Address, Client, Error, MessageStream};
use crate::{
    chat::{Delta, Request, Response},
    provider::{Answering, CallContext, Deltas, Live, Provider, ProviderError},
    wire::{
        client_request, client_response,
        proto::{
            ConversationRequestAlpha2, ConversationResultAlpha2,
            conversation_stream_response_alpha2::Message,
        },
    },
};

/// A conversation component of a sidecar (mynah or daprd), called over gRPC.
///
/// Released versions of daprd do not support streaming. For such a sidecar,
/// [`stream`](Provider::stream) makes a unary call, and the text arrives as one delta.
///
/// See the [module documentation](crate::client) for an example.
#[derive(Debug)]
pub struct RemoteComponent {
    client: Client,
    component: String,
    /// Cleared when the sidecar rejects a streaming call but answers the unary call, so that later
    /// calls do not try to stream again.
    supports_streaming: AtomicBool,
}

impl RemoteComponent {
    /// Connects to the sidecar at `address`: `host:port`, `http://host:port` or `unix:///path`.
    ///
    /// `component` is the name of the component. It is optional if the sidecar has exactly one
    /// conversation component. `token` is Dapr's API token. An empty token counts as `None`.
    ///
    /// Connecting fails if it takes longer than 10 seconds. A lost connection is established again.
    /// Calls have no time limit unless their context has a deadline, but they fail if the sidecar
    /// does not respond to HTTP/2 pings for 10 seconds.
    ///
    /// # Errors
    ///
    /// Fails if the address or the token is invalid, if the connection fails, or if `component` is
    /// `None` and the sidecar does not have exactly one conversation component. The component's
    /// name is not checked here. Calls to an unknown component fail.
    pub async fn connect(
        address: &str,
        component: Option<&str>,
        token: Option<&str>,
    ) -> Result<Self, Error> {
        let mut client = Client::connect(Address::parse(address.to_owned())?, token).await?;
        let component = match component {
            Some(name) => name.to_owned(),
            None => client.only_component().await?,
        };
        Ok(Self::new(client, component))
    }

    /// Creates a component that uses an existing connection.
    pub(crate) fn new(client: Client, component: String) -> Self {
        Self { client, component, supports_streaming: AtomicBool::new(true) }
    }

    /// Returns the name of the component.
    pub fn name(&self) -> &str {
        &self.component
    }

    /// Returns the encoded message in which a request is sent.
    #[cfg(feature = "server")]
    pub(crate) fn encode(&self, request: &Request) -> Vec<u8> {
        client_request::encode(request, &self.component).encode_to_vec()
    }

    async fn call(
        &self,
        request: ConversationRequestAlpha2,
        context: CallContext,
    ) -> Result<Response, Error> {
        let response = self.client.for_call(context).converse(request).await?;
        self.decode(response.outputs)
    }

    fn decode(&self, outputs: Vec<ConversationResultAlpha2>) -> Result<Response, Error> {
        client_response::decode(outputs).ok_or_else(|| Error::NoChoice(self.client.address.clone()))
    }

    fn deltas(self: Arc<Self>, messages: MessageStream) -> DeltaStream {
        let delta = move |message| match message {
            Message::Chunk(chunk) => Ok(Delta::Text(chunk.content)),
            Message::Complete(complete) => {
                self.decode(complete.outputs).map(|response| Delta::Complete(response.into()))
            }
        };
        // Skip other kinds of messages, which a newer sidecar may send.
        let messages = messages.try_filter_map(|response| future::ok(response.message));
        messages.map(move |message| message.and_then(&delta)).boxed()
    }
}

type DeltaStream = BoxStream<'static, Result<Delta, Error>>;

/// Returns the deltas of a complete response.
fn as_deltas(response: Response) -> impl Stream<Item = Result<Delta, Error>> {
    let text = (!response.content.is_empty()).then(|| Delta::Text(response.content.clone()));
    stream::iter(text.into_iter().chain([Delta::Complete(response.into())]).map(Ok))
}

/// A call that is sent when its answer is wanted.
struct RemoteCall {
    component: Arc<RemoteComponent>,
    request: Arc<Request>,
    /// The request as it is sent.
    message: ConversationRequestAlpha2,
    context: CallContext,
}

impl RemoteCall {
    async fn open(self) -> Result<DeltaStream, Error> {
        let Self { component, request, mut message, context } = self;
        if component.supports_streaming.load(Ordering::Relaxed) {
            let mut client = component.client.for_call(context.clone());
            if let Some(messages) = client.stream(message).await? {
                return Ok(component.deltas(messages));
            }
            message = client_request::encode(&request, &component.component);
        }
        let response = component.call(message, context).await?;
        // If the unary call had failed as well, the sidecar may still support streaming.
        component.supports_streaming.store(false, Ordering::Relaxed);
        Ok(as_deltas(response).boxed())
    }
}

impl Live for RemoteCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let Self { component, message, context, .. } = *self;
        async move { component.call(message, context).await.map_err(ProviderError::from) }.boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        self.open().try_flatten_stream().map_err(ProviderError::from).boxed()
    }
}

impl Provider for RemoteComponent {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        let message = client_request::encode(&request, &self.component);
        Answering::Live(Box::new(RemoteCall { component: self, request, message, context }))
    }
}
