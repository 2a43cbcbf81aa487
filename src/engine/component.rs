//! A component, and the steps of a call: scrub the request, call the provider, scrub the response,
//! count the call.

mod faulty;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture, Either, Ready},
    stream::{BoxStream, Stream},
};

use super::{
    faults::{FaultSet, FaultTable},
    metrics::{CallMetrics, Metrics},
    recording::Recording,
};
use crate::{
    base::blocking::{LARGE, run_blocking},
    chat::{Delta, Error, InvalidParams, Request, Response, check_history},
    component::{ComponentSpec, StandIn, ToolsSpec},
    pii::{self, Scrubber},
    provider::{
        CallContext, CancelOnDrop, Provider, ProviderError,
        scripted::{
            ScriptedSettings,
            rules::{RuleSources, SessionRules},
        },
        stream::{self, StreamOptions},
    },
};

/// What a provider returns to a call, at once or from a blocking thread.
type Called<T> =
    Either<Ready<Result<T, ProviderError>>, BoxFuture<'static, Result<T, ProviderError>>>;
type Deltas = BoxStream<'static, Result<Delta, ProviderError>>;

/// A named, configured provider.
pub struct Component {
    /// The name that requests refer to.
    pub name: String,
    /// The type as written, such as `conversation.echo`.
    pub kind: String,
    /// The version as written. May be empty.
    pub version: String,
    /// The stand-in, if mynah does not support the type.
    pub stand_in: Option<StandIn>,
    /// The names of the tools that the component owns.
    pub own_tools: BTreeSet<String>,
    /// Where the rules for its calls come from.
    pub(crate) rules: RuleSources,
    /// The model that answers if the client asks for none.
    pub(crate) model: Option<String>,
    /// The settings of its instruction chains and rules, if it follows any.
    pub(crate) script: Option<ScriptedSettings>,
    /// Whether the token limit of a request has an effect.
    limits_tokens: bool,
    /// Whether the tool calls and results in a history must match.
    has_strict_history: bool,
    scrubber: Scrubber,
    provider: Arc<dyn Provider>,
    metrics: Arc<CallMetrics>,
    /// The faults in the metadata of the component.
    faults: FaultSet,
    fault_table: Arc<FaultTable>,
}

impl Component {
    /// Creates the component described by `spec`. Calls to the component are counted in `metrics`.
    /// Tests can set its rules and faults.
    pub(crate) fn new(
        spec: &ComponentSpec,
        metrics: &Metrics,
        session_rules: &Arc<SessionRules>,
        fault_table: &Arc<FaultTable>,
    ) -> Self {
        let component = spec.provider.rules().cloned();
        Self {
            name: spec.name.clone(),
            kind: spec.kind.clone(),
            version: spec.version.clone(),
            stand_in: spec.stand_in,
            scrubber: spec.scrubber,
            own_tools: spec.tools.as_ref().map(ToolsSpec::names).unwrap_or_default(),
            rules: RuleSources { component, sessions: session_rules.clone() },
            model: spec.provider.model().map(str::to_owned),
            script: spec.provider.script(),
            limits_tokens: spec.provider.limits_tokens(),
            has_strict_history: spec.has_strict_history,
            provider: spec.build_provider(&metrics.tools, session_rules),
            metrics: metrics.call_metrics(&spec.name),
            faults: fault_table.of_component(spec.faults.clone()),
            fault_table: fault_table.clone(),
        }
    }

    /// Checks a request before the provider gets it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidParams`] if the component does not allow the request.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Error> {
        let limit = request.max_tokens.filter(|max| self.limits_tokens && *max < 1);
        let checked = match limit {
            Some(max) => Err(InvalidParams::MaxTokens(max)),
            None if self.has_strict_history => check_history(&request.messages).map_err(Into::into),
            None => Ok(()),
        };
        checked.map_err(|reason| Error::InvalidParams { component: self.name.clone(), reason })
    }

    /// Returns the whole response.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Provider`] if the provider fails.
    pub async fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
        recording: &mut Recording,
    ) -> Result<Response, Error> {
        let cancel = context.cancel_on_drop();
        recording.reached(&self.metrics, &context);
        let single_tool_call = request.single_tool_call;
        match self.try_converse(request, context).await {
            Ok(mut response) => {
                limit_calls(&mut response, single_tool_call);
                recording.answered(&response);
                Ok(response)
            }
            Err(error) => Err(self.record_failure(recording, error, &cancel)),
        }
    }

    /// Returns the response as a stream of pieces. `encode` converts each delta to a piece, or drops it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Provider`] if the provider fails before its first delta. Later errors end
    /// the stream.
    pub async fn stream<T, F>(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
        mut recording: Recording,
        encode: F,
    ) -> Result<impl Stream<Item = Result<T, Error>> + Send + use<T, F>, Error>
    where
        F: FnMut(Delta) -> Option<T> + Send + Unpin,
    {
        let cancel = context.cancel_on_drop();
        recording.reached(&self.metrics, &context);
        let single_tool_call = request.single_tool_call;
        match self.clone().start_stream(request, context).await {
            Ok((first, rest)) => Ok(Encoded {
                component: self,
                recording,
                first: Some(first),
                rest,
                is_complete: false,
                single_tool_call,
                encode,
                cancel,
            }),
            Err(error) => Err(self.record_failure(&mut recording, error, &cancel)),
        }
    }

    /// Adds the component's own tools to a request, as its rules see it.
    pub(super) fn offer_tools(&self, request: &mut Request) {
        self.provider.offer_tools(request);
    }

    /// Drops what the provider keeps of a session, or of all sessions.
    pub(super) fn reset(&self, session: Option<&str>) {
        self.provider.reset(session);
    }

    async fn try_converse(
        self: &Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<Response, ProviderError> {
        let mut faults = self.faults(&request, &context);
        if let Some(faults) = &mut faults {
            Box::pin(faults.start()).await?;
        }
        let scrub_output = request.scrub_output;
        let response =
            self.clone().call_provider(request, context.clone(), <dyn Provider>::converse);
        let response = response.await?.await?;
        context.hold(response.size())?;
        let response = if scrub_output { scrub(self.scrubber, response).await? } else { response };
        match faults {
            Some(faults) => Box::pin(faults.apply(response)).await,
            None => Ok(response),
        }
    }

    /// Returns the first delta and the rest of them.
    async fn start_stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<(Delta, Deltas), ProviderError> {
        let mut rest = self.try_stream(request, context).await?;
        let first = rest.next().await.unwrap_or_else(|| Err(stream::incomplete()))?;
        Ok((first, rest))
    }

    async fn try_stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<Deltas, ProviderError> {
        let mut faults = self.faults(&request, &context);
        if let Some(faults) = &mut faults {
            Box::pin(faults.start()).await?;
        }
        let (scrubber, scrub_output) = (self.scrubber, request.scrub_output);
        let deltas = self.call_provider(request, context.clone(), <dyn Provider>::stream).await?;
        let deltas =
            if scrub_output { scrub_stream(scrubber, deltas, &context).await? } else { deltas };
        Ok(match faults {
            Some(faults) => faults.apply_to_stream(deltas),
            None => deltas,
        })
    }

    /// Scrubs a request and passes it to the provider, on a blocking thread if the request is
    /// large.
    fn call_provider<T: Send + 'static>(
        self: Arc<Self>,
        mut request: Arc<Request>,
        context: CallContext,
        invoke: impl FnOnce(Arc<dyn Provider>, Arc<Request>, CallContext) -> T + Send + 'static,
    ) -> Called<T> {
        let is_large = request.size() + pii::COST * request.scrubbed_len() > LARGE;
        let work = move || {
            context.check_cancelled()?;
            if request.scrub_inputs.is_empty() {
                return Ok(invoke(self.provider.clone(), request, context));
            }
            let context = context.with_result_scrubber(self.scrubber.for_texts());
            self.scrub_inputs(Arc::make_mut(&mut request));
            Ok(invoke(self.provider.clone(), request, context))
        };
        if !is_large {
            return Either::Left(future::ready(work()));
        }
        let result = async { run_blocking(work).await? };
        Either::Right(result.boxed())
    }

    /// Scrubs the inputs that the request marks for scrubbing.
    pub(super) fn scrub_inputs(&self, request: &mut Request) {
        self.scrubber.scrub_inputs(request, |text| self.provider.instruction_ranges(text));
    }

    #[cold]
    fn record_failure(
        &self,
        recording: &mut Recording,
        error: ProviderError,
        call: &CancelOnDrop,
    ) -> Error {
        let error = match call.exhausted() {
            None => Error::Provider { component: self.name.clone(), error },
            Some(error) => error.into(),
        };
        recording.failed(&error);
        error
    }
}

/// The pieces of a response. The call is recorded when the stream ends.
///
/// Written by hand, because a chain of stream adapters would move each piece several times.
struct Encoded<F> {
    component: Arc<Component>,
    recording: Recording,
    /// The first delta, until it has been sent.
    first: Option<Delta>,
    rest: Deltas,
    is_complete: bool,
    single_tool_call: bool,
    encode: F,
    cancel: CancelOnDrop,
}

impl<T, F: FnMut(Delta) -> Option<T> + Unpin> Stream for Encoded<F> {
    type Item = Result<T, Error>;

    // Each surface wraps this stream in an adapter, into which it is not inlined without the
    // attribute.
    #[inline(always)]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let delta = match self.first.take() {
                Some(first) => Some(Ok(first)),
                None => ready!(self.rest.poll_next_unpin(cx)),
            };
            return Poll::Ready(match delta {
                Some(Ok(mut delta)) => {
                    if let Delta::Complete(response) = &mut delta {
                        self.is_complete = true;
                        limit_calls(response, self.single_tool_call);
                        self.recording.answered(response);
                    }
                    match (self.encode)(delta) {
                        Some(piece) => Some(Ok(piece)),
                        None => continue,
                    }
                }
                Some(Err(error)) => {
                    self.is_complete = true;
                    Some(Err(self.fail(error)))
                }
                None if self.is_complete => None,
                None => {
                    self.is_complete = true;
                    Some(Err(self.fail(stream::incomplete())))
                }
            });
        }
    }
}

impl<F> Encoded<F> {
    #[cold]
    fn fail(&mut self, error: ProviderError) -> Error {
        self.component.record_failure(&mut self.recording, error, &self.cancel)
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}/{})", self.name, self.kind, self.version)
    }
}

/// Leaves out the tool calls that the request does not want.
fn limit_calls(response: &mut Response, single_tool_call: bool) {
    if single_tool_call {
        response.tool_calls.truncate(1);
    }
}

/// Scrubs a response, on a blocking thread if the response is large.
async fn scrub(scrubber: Scrubber, mut response: Response) -> Result<Response, ProviderError> {
    if pii::COST * (response.reasoning.len() + response.content.len()) <= LARGE {
        scrubber.scrub_response(&mut response);
        return Ok(response);
    }
    let scrub = move || {
        scrubber.scrub_response(&mut response);
        response
    };
    Ok(run_blocking(scrub).await?)
}

/// Collects the whole response, since personal data may span two deltas, and splits it again.
async fn scrub_stream(
    scrubber: Scrubber,
    deltas: Deltas,
    context: &CallContext,
) -> Result<Deltas, ProviderError> {
    let response = scrub(scrubber, stream::collect(deltas).await?).await?;
    Ok(stream::deltas(response, StreamOptions::default(), context))
}
