//! Components by name, and the way of a request into one.

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use arc_swap::ArcSwap;
use futures_util::{
    StreamExt,
    stream::{BoxStream, Stream},
};

use crate::{
    base::blocking::{LARGE, Panicked, run_blocking},
    chat::{Delta, Error, Request, Response},
    component::{ComponentSpec, StandIn},
    engine::metrics::{Calls, Metrics},
    pii::Scrubber,
    provider::{
        Provider, ProviderError,
        stream::{self, Pace},
    },
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
        let (provider, calls) = (spec.build_provider(), metrics.calls(&spec.name));
        let component =
            Self::new(spec.name, spec.kind, spec.version, spec.scrubber, provider, calls);
        Self { stand_in: spec.stand_in, ..component }
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

    /// The whole answer at once.
    pub async fn converse(self: Arc<Self>, request: Request) -> Result<Response, Error> {
        let answer = self.clone().answer(request).await;
        self.calls.count(answer.is_ok());
        answer.map_err(|error| self.error(error))
    }

    /// The answer in pieces, as `encode` makes them. An error before the first piece is an error of
    /// the call.
    pub async fn stream<T, F>(
        self: Arc<Self>,
        request: Request,
        encode: F,
    ) -> Result<impl Stream<Item = Result<T, Error>> + Send + use<T, F>, Error>
    where
        F: FnMut(Delta) -> T + Send + Unpin,
    {
        let mut rest = self.clone().open(request).await.map_err(|error| self.fail(error))?;
        let first = match rest.next().await {
            Some(first) => Some(first.map_err(|error| self.fail(error))?),
            None => return Err(self.fail(no_answer())),
        };
        Ok(Encoded { component: self, first, rest, encode })
    }

    async fn answer(self: Arc<Self>, request: Request) -> Result<Response, ProviderError> {
        let (scrubber, scrub_output) = (self.scrubber, request.scrub_output);
        let response = self.ask(request, <dyn Provider>::converse).await?.await?;
        if scrub_output { scrub(scrubber, response).await } else { Ok(response) }
    }

    async fn open(self: Arc<Self>, request: Request) -> Result<Deltas, ProviderError> {
        let (scrubber, scrub_output) = (self.scrubber, request.scrub_output);
        let deltas = self.ask(request, <dyn Provider>::stream).await?;
        if scrub_output { scrub_stream(scrubber, deltas).await } else { Ok(deltas) }
    }

    /// Puts the request to the provider, off the serving thread where there is much to go through.
    async fn ask<T: Send + 'static>(
        self: Arc<Self>,
        mut request: Request,
        ask: impl FnOnce(Arc<dyn Provider>, Arc<Request>) -> T + Send + 'static,
    ) -> Result<T, ProviderError> {
        let large = request.size() > LARGE;
        let ask = move || {
            self.scrubber.scrub_inputs(&mut request, |text| self.provider.directions(text));
            ask(self.provider.clone(), Arc::new(request))
        };
        if large { Ok(run_blocking(ask).await?) } else { Ok(ask()) }
    }

    #[cold]
    fn fail(&self, error: ProviderError) -> Error {
        self.calls.count(false);
        self.error(error)
    }

    fn error(&self, error: ProviderError) -> Error {
        Error::Provider { component: self.name.clone(), error }
    }
}

/// The pieces of an answer, which counts when it ends. Written out, since adapters would move each
/// piece from one to the next.
struct Encoded<F> {
    component: Arc<Component>,
    /// The first delta, until somebody takes it.
    first: Option<Delta>,
    rest: Deltas,
    encode: F,
}

impl<T, F: FnMut(Delta) -> T + Unpin> Stream for Encoded<F> {
    type Item = Result<T, Error>;

    // Each surface has its own adapter around it, into which it goes only if told to.
    #[inline(always)]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let delta = match self.first.take() {
            Some(first) => Some(Ok(first)),
            None => ready!(self.rest.poll_next_unpin(cx)),
        };
        Poll::Ready(match delta {
            Some(Ok(delta)) => {
                if matches!(delta, Delta::Complete(_)) {
                    self.component.calls.count(true);
                }
                Some(Ok((self.encode)(delta)))
            }
            Some(Err(error)) => Some(Err(self.component.fail(error))),
            None => None,
        })
    }
}

impl std::fmt::Debug for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}/{})", self.name, self.kind, self.version)
    }
}

fn no_answer() -> ProviderError {
    ProviderError::internal("the provider gave no answer")
}

/// The response without personal data.
async fn scrub(scrubber: Scrubber, mut response: Response) -> Result<Response, ProviderError> {
    if response.content.len() <= LARGE {
        scrubber.scrub_response(&mut response);
        return Ok(response);
    }
    let work = move || {
        scrubber.scrub_response(&mut response);
        response
    };
    Ok(run_blocking(work).await?)
}

/// Waits for the whole answer, since personal data may begin in one piece and end in the next. The
/// pieces are cut anew then, and come at once.
async fn scrub_stream(scrubber: Scrubber, deltas: Deltas) -> Result<Deltas, ProviderError> {
    let whole = stream::whole(deltas).await?.ok_or_else(no_answer)?;
    let response = scrub(scrubber, whole).await?;
    Ok(stream::deltas(response, Pace::default()))
}

impl From<Panicked> for ProviderError {
    fn from(_: Panicked) -> Self {
        Self::internal("the provider failed; its log has more")
    }
}
