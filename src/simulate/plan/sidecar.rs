//! Components of sidecars.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::{
    FutureExt, StreamExt, TryFutureExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use tokio::sync::OnceCell;

use super::cache::Cache;
use crate::{
    chat::{Delta, Request, Response},
    client::{self, RemoteComponent},
    provider::{CallContext, Provider, ProviderError},
    simulate::file::SidecarSource,
};

/// The sidecars that a file names. Models with the same address and component share a connection.
pub(super) struct Sidecars {
    token: Option<String>,
    cache: Option<Arc<Cache>>,
    known: BTreeMap<SidecarSource, Arc<Sidecar>>,
}

/// A component of a sidecar, which keeps its answers if there is a cache.
pub(super) struct Sidecar {
    source: SidecarSource,
    /// Dapr's API token.
    token: Option<String>,
    cache: Option<Arc<Cache>>,
    connected: OnceCell<Arc<RemoteComponent>>,
}

impl Sidecars {
    pub(super) fn new(token: Option<String>, cache: Option<Arc<Cache>>) -> Self {
        Self { token, cache, known: BTreeMap::new() }
    }

    /// Returns a component of a sidecar. Does not connect to it.
    pub(super) fn get(&mut self, source: SidecarSource) -> Arc<Sidecar> {
        let Self { token, cache, known } = self;
        let sidecar = known.entry(source).or_insert_with_key(|source| {
            let (source, connected) = (source.clone(), OnceCell::new());
            let (token, cache) = (token.clone(), cache.clone());
            Arc::new(Sidecar { source, token, cache, connected })
        });
        sidecar.clone()
    }
}

impl Sidecar {
    /// Returns the connected component. The first call connects.
    pub(super) async fn connected(&self) -> Result<Arc<RemoteComponent>, client::Error> {
        let SidecarSource { address, component } = &self.source;
        let token = self.token.as_deref();
        let connect = || RemoteComponent::connect(address, component.as_deref(), token);
        self.connected.get_or_try_init(|| connect().map_ok(Arc::new)).await.cloned()
    }

    async fn ask(
        &self,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<Response, ProviderError> {
        let component = self.connected().await?;
        let Some(cache) = &self.cache else { return component.converse(request, context).await };
        let key = cache.key(&self.source.address, &component.encode(&request));
        cache.get_or_ask(key, component.converse(request, context)).await
    }
}

/// Streams are not kept.
impl Provider for Sidecar {
    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let open = async move {
            match self.connected().await {
                Ok(component) => component.stream(request, context),
                Err(error) => stream::once(async { Err(error.into()) }).boxed(),
            }
        };
        open.into_stream().flatten().boxed()
    }

    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        async move { self.ask(request, context).await }.boxed()
    }
}
