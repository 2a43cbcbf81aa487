//! A component of a sidecar as a model.

use std::{ops::Range, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};

use super::cache::Cache;
use crate::{
    chat::{Request, Response},
    client::LazyComponent,
    provider::{
        Answering, CallContext, Deltas, Live, Provider, ProviderError, scripted::chain_ranges,
    },
    simulate::Model,
};

/// A component of a sidecar, which keeps its answers if there is a cache. Clones share the connection.
#[derive(Clone)]
pub(super) struct Sidecar(Arc<Shared>);

struct Shared {
    component: Arc<LazyComponent>,
    cache: Option<Arc<Cache>>,
}

impl Sidecar {
    /// Creates a component that is not connected yet.
    pub(super) fn new(
        address: String,
        component: Option<String>,
        token: Option<String>,
        cache: Option<Arc<Cache>>,
    ) -> Self {
        let component = LazyComponent::new(address, component, token).into();
        Self(Arc::new(Shared { component, cache }))
    }

    async fn ask(
        &self,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<Response, ProviderError> {
        let component = self.0.component.connected().await?;
        let Some(cache) = &self.0.cache else { return component.converse(request, context).await };
        let key = cache.key(self.0.component.address(), &component.encode(&request));
        cache.get_or_ask(key, component.converse(request, context)).await
    }
}

impl Model for Sidecar {
    fn connect(&self) -> BoxFuture<'_, Result<(), String>> {
        async { self.0.component.connected().await.map(drop).map_err(|error| error.to_string()) }
            .boxed()
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
        sidecar.0.component.clone().stream(request, context)
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
