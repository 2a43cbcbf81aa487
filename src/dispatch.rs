//! Components by name, and the way of a request into one.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::{StreamExt, stream::BoxStream};

use crate::{
    chat::{Delta, Error, Request, Response},
    metrics::Calls,
    provider::{Provider, ProviderError},
};

/// A request with more text than this, in bytes, is answered off the serving threads.
const LARGE_REQUEST: usize = 64 * 1024;

/// The loaded components.
#[derive(Debug, Default)]
pub struct Components(BTreeMap<String, Arc<Component>>);

/// A named, configured provider.
pub struct Component {
    /// Name that requests give.
    pub name: String,
    /// Type as written, such as `conversation.echo`.
    pub kind: String,
    /// Version as written; may be empty.
    pub version: String,
    provider: Arc<dyn Provider>,
    calls: Calls,
}

impl Components {
    /// The component of that name.
    pub fn find(&self, name: &str) -> Result<Arc<Component>, Error> {
        self.0.get(name).cloned().ok_or_else(|| Error::UnknownComponent(name.to_owned()))
    }

    /// All components, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Component> {
        self.0.values().map(AsRef::as_ref)
    }
}

impl FromIterator<Component> for Components {
    fn from_iter<I: IntoIterator<Item = Component>>(components: I) -> Self {
        let by_name = |component: Component| (component.name.clone(), Arc::new(component));
        Self(components.into_iter().map(by_name).collect())
    }
}

impl Component {
    /// A component that `provider` answers.
    pub fn new(
        name: impl Into<String>,
        kind: impl Into<String>,
        version: impl Into<String>,
        provider: Arc<dyn Provider>,
        calls: Calls,
    ) -> Self {
        Self { name: name.into(), kind: kind.into(), version: version.into(), provider, calls }
    }

    /// The whole answer at once.
    pub async fn converse(self: Arc<Self>, request: Request) -> Result<Response, Error> {
        let answer = if is_large(&request) {
            let provider = self.provider.clone();
            off_thread(move |runtime| runtime.block_on(provider.converse(&request)))
                .await
                .and_then(|answer| answer)
        } else {
            self.provider.converse(&request).await
        };
        self.calls.count(answer.is_ok());
        answer.map_err(|message| self.error(message))
    }

    /// The answer in pieces. An error before the first piece is an error of the call.
    pub async fn stream(
        self: Arc<Self>,
        request: Request,
    ) -> Result<BoxStream<'static, Result<Delta, Error>>, Error> {
        let provider = self.provider.clone();
        let opened = if is_large(&request) {
            off_thread(move |_| provider.stream(request)).await
        } else {
            Ok(provider.stream(request))
        };
        let mut deltas = opened.map_err(|message| self.fail(message))?;
        let Some(first) = deltas.next().await else {
            return Err(self.fail("the provider gave no answer".to_owned()));
        };
        let first = first.map_err(|message| self.fail(message))?;
        let first = self.clone().watch(Ok(first));
        let rest = deltas.map(move |delta| self.clone().watch(delta));
        Ok(futures_util::stream::once(async { first }).chain(rest).boxed())
    }

    /// Counts the piece that ends a stream.
    fn watch(self: Arc<Self>, delta: Result<Delta, ProviderError>) -> Result<Delta, Error> {
        if matches!(delta, Ok(Delta::Complete(_))) {
            self.calls.count(true);
        }
        delta.map_err(|message| self.fail(message))
    }

    fn fail(&self, message: ProviderError) -> Error {
        self.calls.count(false);
        self.error(message)
    }

    fn error(&self, message: ProviderError) -> Error {
        Error::Provider { component: self.name.clone(), message }
    }
}

impl std::fmt::Debug for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}/{})", self.name, self.kind, self.version)
    }
}

fn is_large(request: &Request) -> bool {
    request.size() > LARGE_REQUEST
}

/// Runs work that may burn a core where it cannot hold up other calls.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce(tokio::runtime::Handle) -> T + Send + 'static,
) -> Result<T, ProviderError> {
    let runtime = tokio::runtime::Handle::current();
    let done = tokio::task::spawn_blocking(move || work(runtime)).await;
    done.map_err(|_| "the provider failed; its log has more".to_owned())
}
