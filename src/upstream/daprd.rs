//! A model behind a component of daprd.

use std::sync::Arc;

use futures_util::{FutureExt, StreamExt, TryFutureExt, TryStreamExt, future::BoxFuture};

use crate::{
    chat::{Request, Response},
    client::LazyComponent,
    provider::{Answering, CallContext, Deltas, Live, Provider, ProviderError},
};

/// A component of daprd.
#[derive(Debug)]
pub(crate) struct DaprdModel {
    component: Arc<LazyComponent>,
    name: String,
}

impl DaprdModel {
    /// Creates the component `name` of the daprd at an address. `token` is Dapr's API token.
    pub(crate) fn new(address: &str, name: &str, token: Option<&str>) -> Self {
        let (address, token) = (address.to_owned(), token.map(str::to_owned));
        let component = LazyComponent::new(address, Some(name.to_owned()), token);
        Self { component: component.into(), name: name.to_owned() }
    }

    /// Returns `true` if both are the same component.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.component.address() == other.component.address()
    }
}

struct DaprdCall {
    model: Arc<DaprdModel>,
    request: Arc<Request>,
    context: CallContext,
}

impl DaprdCall {
    /// Returns how an error of daprd looks here: what precedes its cause is added to every error.
    fn error(&self) -> impl Fn(ProviderError) -> ProviderError + Send + use<> {
        let DaprdModel { component, name } = &*self.model;
        let call = format!("the call to {} failed with ", component.address());
        let prefix = format!("failed conversing with component {name}: ");
        move |error| {
            let call = error.message.strip_prefix(&call).and_then(|text| text.split_once(": "));
            let message = call.map_or(&*error.message, |(_, message)| message);
            let message = message.strip_prefix(&prefix).unwrap_or(message).to_owned();
            ProviderError { message, ..error }
        }
    }
}

impl Live for DaprdCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let error = self.error();
        let Self { model, request, context } = *self;
        model.component.clone().converse(request, context).map_err(error).boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        let error = self.error();
        let Self { model, request, context } = *self;
        model.component.clone().stream(request, context).map_err(error).boxed()
    }
}

impl Provider for DaprdModel {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        Answering::Live(Box::new(DaprdCall { model: self, request, context }))
    }
}
