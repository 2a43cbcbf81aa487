//! A component of a sidecar that is connected when it is called.

use std::{fmt, sync::Arc};

use futures_util::{FutureExt, StreamExt, TryFutureExt, future::BoxFuture};
use tokio::sync::OnceCell;

use super::{Error, RemoteComponent};
use crate::{
    chat::{Request, Response},
    provider::{Answering, CallContext, Deltas, Live, Provider, ProviderError},
};

/// A component of a sidecar. The first call connects. `Debug` does not show the token.
pub(crate) struct LazyComponent {
    address: String,
    component: Option<String>,
    /// Dapr's API token.
    token: Option<String>,
    connected: OnceCell<Arc<RemoteComponent>>,
}

impl LazyComponent {
    /// Creates a component that is not connected yet.
    pub(crate) fn new(address: String, component: Option<String>, token: Option<String>) -> Self {
        Self { address, component, token, connected: OnceCell::new() }
    }

    /// Returns the address of the sidecar.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the connected component.
    pub(crate) async fn connected(&self) -> Result<Arc<RemoteComponent>, Error> {
        let Self { address, component, token, .. } = self;
        let connect = || RemoteComponent::connect(address, component.as_deref(), token.as_deref());
        self.connected.get_or_try_init(|| connect().map_ok(Arc::new)).await.cloned()
    }
}

impl fmt::Debug for LazyComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, component, .. } = self;
        let mut shown = f.debug_struct("LazyComponent");
        shown.field("address", address).field("component", component).finish_non_exhaustive()
    }
}

struct LazyCall {
    component: Arc<LazyComponent>,
    request: Arc<Request>,
    context: CallContext,
}

impl Live for LazyCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let Self { component, request, context } = *self;
        async move { component.connected().await?.converse(request, context).await }.boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        let Self { component, request, context } = *self;
        let open = async move { Ok(component.connected().await?.stream(request, context)) };
        open.try_flatten_stream().boxed()
    }
}

impl Provider for LazyComponent {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        Answering::Live(Box::new(LazyCall { component: self, request, context }))
    }
}
