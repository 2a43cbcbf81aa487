//! Components by name, and the way of a request into one.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use futures_util::{StreamExt, stream::BoxStream};

use crate::{
    chat::{Delta, Error, Request, Response},
    component::{ComponentSpec, StandIn},
    metrics::{Calls, Metrics},
    off_thread::{LARGE, Panicked, off_thread},
    pii::Scrubber,
    provider::{Provider, ProviderError},
    stream,
};

/// What a provider delivers.
type Deltas = BoxStream<'static, Result<Delta, ProviderError>>;

type ByName = BTreeMap<String, Arc<Component>>;

/// The loaded components, which may change while they are served. Readers never wait.
#[derive(Debug, Default)]
pub struct Components(ArcSwap<ByName>);

/// A named, configured provider.
pub struct Component {
    /// Name that requests give.
    pub name: String,
    /// Type as written, such as `conversation.echo`.
    pub kind: String,
    /// Version as written; may be empty.
    pub version: String,
    /// Set where the provider is not that of the type.
    pub stand_in: Option<StandIn>,
    scrubber: Scrubber,
    provider: Arc<dyn Provider>,
    calls: Calls,
}

impl Components {
    /// The component of that name. Whoever has it keeps it, whatever changes meanwhile.
    pub fn find(&self, name: &str) -> Result<Arc<Component>, Error> {
        let found = self.0.load().get(name).cloned();
        found.ok_or_else(|| Error::UnknownComponent(name.to_owned()))
    }

    /// All components of this moment, by name.
    pub fn all(&self) -> Vec<Arc<Component>> {
        self.0.load().values().cloned().collect()
    }

    /// Removes some and puts others in, at one stroke; all the rest stay the very same.
    pub(crate) fn change(&self, removed: &[String], renewed: Self) {
        let renewed = renewed.0.into_inner();
        self.0.rcu(|current| {
            let mut next = ByName::clone(current);
            next.retain(|name, _| !removed.contains(name));
            next.extend(renewed.iter().map(|(name, component)| (name.clone(), component.clone())));
            next
        });
    }
}

impl FromIterator<Component> for Components {
    fn from_iter<I: IntoIterator<Item = Component>>(components: I) -> Self {
        let by_name = |component: Component| (component.name.clone(), Arc::new(component));
        Self(ArcSwap::from_pointee(components.into_iter().map(by_name).collect()))
    }
}

impl Component {
    /// The component that is described, counted in `metrics`.
    pub fn of(spec: ComponentSpec, metrics: &Metrics) -> Self {
        let (provider, calls) = (spec.provider(), metrics.calls(&spec.name));
        Self::new(spec.name, spec.kind, spec.version, spec.scrubber, provider, calls)
            .answered_by(spec.stand_in)
    }

    /// A component that `provider` answers.
    pub fn new(
        name: impl Into<String>,
        kind: impl Into<String>,
        version: impl Into<String>,
        scrubber: Scrubber,
        provider: Arc<dyn Provider>,
        calls: Calls,
    ) -> Self {
        let (name, kind, version) = (name.into(), kind.into(), version.into());
        Self { name, kind, version, stand_in: None, scrubber, provider, calls }
    }

    /// The same component, whose provider is a stand-in where one is given.
    pub fn answered_by(self, stand_in: Option<StandIn>) -> Self {
        Self { stand_in, ..self }
    }

    /// The whole answer at once.
    pub async fn converse(self: Arc<Self>, request: Request) -> Result<Response, Error> {
        let answer = if is_large(&request) {
            let component = self.clone();
            off_thread(move |runtime| runtime.block_on(component.answer(request)))
                .await
                .unwrap_or_else(|panicked| Err(panicked.into()))
        } else {
            self.answer(request).await
        };
        self.calls.count(answer.is_ok());
        answer.map_err(|message| self.error(message))
    }

    /// The answer in pieces. An error before the first piece is an error of the call.
    pub async fn stream(
        self: Arc<Self>,
        request: Request,
    ) -> Result<BoxStream<'static, Result<Delta, Error>>, Error> {
        let mut deltas = self.clone().open(request).await.map_err(|message| self.fail(message))?;
        let Some(first) = deltas.next().await else {
            return Err(self.fail(no_answer()));
        };
        let first = first.map_err(|message| self.fail(message))?;
        let first = self.clone().watch(Ok(first));
        let rest = deltas.map(move |delta| self.clone().watch(delta));
        Ok(futures_util::stream::once(async { first }).chain(rest).boxed())
    }

    async fn answer(&self, mut request: Request) -> Result<Response, ProviderError> {
        self.scrubber.scrub_inputs(&mut request);
        let response = self.provider.converse(&request).await?;
        if request.scrub_output { scrub(self.scrubber, response).await } else { Ok(response) }
    }

    async fn open(self: Arc<Self>, mut request: Request) -> Result<Deltas, ProviderError> {
        let (scrubber, scrub_output) = (self.scrubber, request.scrub_output);
        let large = is_large(&request);
        let open = move || {
            self.scrubber.scrub_inputs(&mut request);
            self.provider.clone().stream(request)
        };
        let deltas = if large { off_thread(move |_| open()).await? } else { open() };
        if scrub_output { scrub_stream(scrubber, deltas).await } else { Ok(deltas) }
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
    request.size() > LARGE
}

fn no_answer() -> ProviderError {
    "the provider gave no answer".to_owned()
}

/// The response without personal data.
async fn scrub(scrubber: Scrubber, mut response: Response) -> Result<Response, ProviderError> {
    if response.content.len() <= LARGE {
        scrubber.scrub_answer(&mut response);
        return Ok(response);
    }
    let work = move |_| {
        scrubber.scrub_answer(&mut response);
        response
    };
    Ok(off_thread(work).await?)
}

/// Waits for the whole answer, since personal data may begin in one piece and end in the next. The
/// pieces are cut anew then, and come at once.
async fn scrub_stream(scrubber: Scrubber, deltas: Deltas) -> Result<Deltas, ProviderError> {
    let whole = stream::whole(deltas).await?.ok_or_else(no_answer)?;
    let response = scrub(scrubber, whole).await?;
    Ok(stream::deltas(response, Duration::ZERO).map(Ok).boxed())
}

impl From<Panicked> for ProviderError {
    fn from(_: Panicked) -> Self {
        "the provider failed; its log has more".to_owned()
    }
}
