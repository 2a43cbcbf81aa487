//! A model behind a component of daprd, and the list of its components.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, StreamExt, TryFutureExt, TryStreamExt, future::BoxFuture};

use crate::{
    base::clock,
    chat::{Request, Response},
    client::{Address, Client, Error, LazyComponent},
    provider::{Answering, CallContext, Deltas, Live, Provider, ProviderError},
};

/// Time that daprd has to list its components.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);

/// A conversation component, as the metadata of daprd lists it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ListedComponent {
    pub(crate) name: String,
    /// The type, such as `conversation.openai`.
    pub(crate) kind: String,
    pub(crate) version: String,
}

/// Returns the conversation components of the daprd at an address, sorted by name. `token` is Dapr's API
/// token.
///
/// # Errors
///
/// Fails if daprd cannot be reached or does not list them in time.
pub(crate) async fn list_components(
    address: &str,
    token: Option<&str>,
) -> Result<Vec<ListedComponent>, Error> {
    let list = async {
        let mut client = Client::connect(Address::parse(address.to_owned())?, token).await?;
        let listed = client.components().await?.into_iter().map(|component| ListedComponent {
            name: component.name,
            kind: component.r#type,
            version: component.version,
        });
        let mut listed: Vec<_> = listed.collect();
        listed.sort();
        Ok(listed)
    };
    let late = || Error::Unreachable {
        address: address.to_owned(),
        reason: format!("its components are not listed after {LIST_TIMEOUT:?}"),
    };
    clock::within(LIST_TIMEOUT, list).await.unwrap_or_else(|| Err(late()))
}

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
