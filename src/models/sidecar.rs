//! A component of a sidecar as a model.

use std::{ops::Range, sync::Arc};

use futures_util::{FutureExt, StreamExt, TryFutureExt, future::BoxFuture};
use tokio::sync::OnceCell;

use super::cache::Cache;
use crate::{
    chat::{Request, Response},
    client::{self, RemoteComponent},
    provider::{
        Answering, CallContext, Deltas, Live, Provider, ProviderError, scripted::chain_ranges,
    },
    simulate::Model,
};

/// A component of a sidecar, which keeps its answers if there is a cache. Clones share the connection.
#[derive(Clone)]
pub(super) struct Sidecar(Arc<Shared>);

struct Shared {
    address: String,
    component: Option<String>,
    /// Dapr's API token.
    token: Option<String>,
    cache: Option<Arc<Cache>>,
    connected: OnceCell<Arc<RemoteComponent>>,
}

impl Sidecar {
    /// Creates a component that is not connected yet.
    pub(super) fn new(
        address: String,
        component: Option<String>,
        token: Option<String>,
        cache: Option<Arc<Cache>>,
    ) -> Self {
        let connected = OnceCell::new();
        Self(Arc::new(Shared { address, component, token, cache, connected }))
    }

    /// Returns the connected component. The first call connects.
    async fn connected(&self) -> Result<Arc<RemoteComponent>, client::Error> {
        let Shared { address, component, token, .. } = &*self.0;
        let connect = || RemoteComponent::connect(address, component.as_deref(), token.as_deref());
        self.0.connected.get_or_try_init(|| connect().map_ok(Arc::new)).await.cloned()
    }

    async fn ask(
        &self,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<Response, ProviderError> {
        let component = self.connected().await?;
        let Some(cache) = &self.0.cache else { return component.converse(request, context).await };
        let key = cache.key(&self.0.address, &component.encode(&request));
        cache.get_or_ask(key, component.converse(request, context)).await
    }
}

impl Model for Sidecar {
    fn connect(&self) -> BoxFuture<'_, Result<(), String>> {
        async { self.connected().await.map(drop).map_err(|error| error.to_string()) }.boxed()
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::new(self.clone())
    }

    fn is_external(&self) -> bool {
        true
    }
}

/// A call of a component. Streams are not kept.
struct SidecarCall {
    sidecar: Sidecar,
    request: Arc<Request>,
    context: CallContext,
}

impl Live for SidecarCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        async move { self.sidecar.ask(self.request, self.context).await }.boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        let Self { sidecar, request, context } = *self;
        let open = async move { Ok(sidecar.connected().await?.stream(request, context)) };
        open.try_flatten_stream().boxed()
    }
}

impl Provider for Sidecar {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        let sidecar = Arc::unwrap_or_clone(self);
        Answering::Live(Box::new(SidecarCall { sidecar, request, context }))
    }

    /// The component may follow instruction chains.
    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        chain_ranges(text)
    }
}
