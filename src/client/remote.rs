//! A component of another sidecar as a [`Provider`].

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::{
    FutureExt, StreamExt, TryFutureExt, TryStreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream, Stream},
};

use super::{Address, Client, Error, Pieces};
use crate::{
    chat::{Delta, Request, Response},
    provider::{CallContext, Provider, ProviderError},
    wire::{
        client_request, client_response,
        proto::{
            ConversationRequestAlpha2, ConversationResultAlpha2,
            conversation_stream_response_alpha2::Message as Piece,
        },
    },
};

/// A conversation component of a sidecar, mynah or daprd, that answers over gRPC.
///
/// A sidecar that does not stream is asked for the whole answer, whose text is one delta then.
#[derive(Debug)]
pub struct RemoteComponent {
    client: Client,
    component: String,
    /// Learned from the first refusal, so that it is not asked again at each turn.
    streams: AtomicBool,
}

impl RemoteComponent {
    /// Connects to the sidecar at `address`, such as `127.0.0.1:50001` or `unix:///path`.
    ///
    /// Without a name it is the only conversation component of that sidecar. The token is
    /// Dapr's API token; an empty one is none.
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

    /// A component of a sidecar that is connected.
    pub(crate) fn new(client: Client, component: String) -> Self {
        Self { client, component, streams: AtomicBool::new(true) }
    }

    /// The name of the component.
    pub fn name(&self) -> &str {
        &self.component
    }

    async fn whole(
        &self,
        request: ConversationRequestAlpha2,
        context: CallContext,
    ) -> Result<Response, Error> {
        let answer = self.client.for_call(context).converse(request).await?;
        self.response(answer.outputs)
    }

    fn response(&self, outputs: Vec<ConversationResultAlpha2>) -> Result<Response, Error> {
        client_response::decode(outputs).ok_or_else(|| Error::NoChoice(self.client.address.clone()))
    }

    async fn open(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<Deltas, Error> {
        if self.streams.load(Ordering::Relaxed) {
            let asked = client_request::encode(&request, &self.component);
            if let Some(pieces) = self.client.for_call(context.clone()).stream(asked).await? {
                return Ok(self.deltas(pieces));
            }
            self.streams.store(false, Ordering::Relaxed);
        }
        let response =
            self.whole(client_request::encode(&request, &self.component), context).await?;
        Ok(one_piece(response).boxed())
    }

    fn deltas(self: Arc<Self>, pieces: Pieces) -> Deltas {
        let delta = move |piece| match piece {
            Piece::Chunk(chunk) => Ok(Delta::Text(chunk.content)),
            Piece::Complete(end) => {
                self.response(end.outputs).map(|response| Delta::Complete(response.into()))
            }
        };
        let pieces = pieces.try_filter_map(|piece| future::ok(piece.message));
        pieces.map(move |piece| piece.and_then(&delta)).boxed()
    }
}

type Deltas = BoxStream<'static, Result<Delta, Error>>;

fn one_piece(response: Response) -> impl Stream<Item = Result<Delta, Error>> {
    let text = (!response.content.is_empty()).then(|| Delta::Text(response.content.clone()));
    stream::iter(text.into_iter().chain([Delta::Complete(response.into())]).map(Ok))
}

impl Provider for RemoteComponent {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let asked = client_request::encode(&request, &self.component);
        async move { self.whole(asked, context).await.map_err(ProviderError::from) }.boxed()
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        self.open(request, context).try_flatten_stream().map_err(ProviderError::from).boxed()
    }
}
