//! The turns of a script: how they are performed and sent.

use std::{sync::Arc, time::Duration};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture, Either},
    stream::{self, BoxStream},
};
use mynah_core::{
    base::blocking::is_blocking_thread,
    chat::{Delta, Request, Response},
    provider::{
        CallContext, Provider, ProviderError,
        stream::{StreamOptions, piece_deltas},
    },
};

use super::{
    settings::ScriptedSettings,
    steps::{Answer, Step, StepError, answer},
};

/// A script, which has turns for some requests.
pub(super) trait Script: Send + Sync + 'static {
    /// The turn that is selected for a request.
    type Selection: Send + 'static;

    /// Returns `true` if selecting a turn may take longer than a millisecond.
    fn is_long_to_select(&self, request: &Request, context: &CallContext) -> bool;

    /// Selects the turn for a request. Returns `None` if the script has none for it.
    fn select(
        &self,
        request: &Request,
        context: &CallContext,
    ) -> Result<Option<Self::Selection>, ProviderError>;

    /// Returns the maximum size in bytes of the answer of a turn, if performing it may take longer than
    /// a millisecond.
    fn long_answer(selection: &Self::Selection, request: &Request) -> Option<usize>;

    /// Generates the answer of a turn.
    fn perform(
        &self,
        selection: Self::Selection,
        request: &Arc<Request>,
        context: &CallContext,
    ) -> Result<ScriptedTurn, ProviderError>;

    /// Returns the provider for requests that the script has no turn for.
    fn fallback(&self) -> Result<Arc<dyn Provider>, ProviderError>;
}

/// The turn for a request, or `None` if the script has none for it.
type Turn = Result<Option<ScriptedTurn>, ProviderError>;

/// A turn, or the work on a blocking thread that returns one.
type ReadyOrLater = Either<Turn, BoxFuture<'static, Turn>>;

/// Returns the turn for a request. Works on a blocking thread if that may take long.
fn turn<S: Script>(script: &Arc<S>, request: &Arc<Request>, context: &CallContext) -> ReadyOrLater {
    let is_blocking = is_blocking_thread();
    if !is_blocking && script.is_long_to_select(request, context) {
        let call = (script.clone(), request.clone(), context.clone());
        return Either::Right(long_turn(call).boxed());
    }
    select_and_perform(script, request, context, is_blocking)
}

/// Selects a turn. Performs it at once if that is brief, or if it may take long and there is memory for the
/// answer.
fn select_and_perform<S: Script>(
    script: &Arc<S>,
    request: &Arc<Request>,
    context: &CallContext,
    may_take_long: bool,
) -> ReadyOrLater {
    let selection = match script.select(request, context) {
        Ok(Some(selection)) => selection,
        Ok(None) => return Either::Left(Ok(None)),
        Err(error) => return Either::Left(Err(error)),
    };
    let perform = |selection| script.perform(selection, request, context).map(Some);
    let Some(size) = S::long_answer(&selection, request) else {
        return Either::Left(perform(selection));
    };
    match may_take_long.then(|| context.reserve_response_now(size)).flatten() {
        Some(_until_performed) => Either::Left(perform(selection)),
        None => {
            let call = (script.clone(), request.clone(), context.clone());
            Either::Right(perform_long(call, selection, size).boxed())
        }
    }
}

/// A script, with a request and its context.
type OwnedCall<S> = (Arc<S>, Arc<Request>, CallContext);

/// Selects a turn on a blocking thread. A long answer is performed in another job, which keeps its memory
/// until the answer arrives.
async fn long_turn<S: Script>((script, request, context): OwnedCall<S>) -> Turn {
    let of_turn = context.clone();
    let select = move || Ok(select_and_perform(&script, &request, &of_turn, false));
    match context.run_blocking(select).await? {
        Either::Left(turn) => turn,
        Either::Right(later) => later.await,
    }
}

/// Performs a turn whose answer has at most `size` bytes on a blocking thread.
async fn perform_long<S: Script>(
    (script, request, context): OwnedCall<S>,
    selection: S::Selection,
    size: usize,
) -> Turn {
    let of_turn = context.clone();
    let perform = move || script.perform(selection, &request, &of_turn).map(Some);
    context.run_blocking_reserved(size, perform).await
}

/// A turn of a script.
pub(super) enum ScriptedTurn {
    /// An answer and its timing.
    Answer { answer: Answer, delay: Duration, stream: StreamOptions },
    /// The answer of another provider to a changed request.
    Fallback { provider: Arc<dyn Provider>, request: Arc<Request> },
}

impl ScriptedTurn {
    /// Generates the answer of a step.
    pub(super) fn perform(
        step: &Step,
        component: &str,
        settings: &ScriptedSettings,
        request: &Request,
        context: &CallContext,
    ) -> Result<Self, StepError> {
        let answer = answer(step, component, settings, request, context)?;
        let stream = step.stream.or(settings.stream);
        Ok(Self::Answer { answer, delay: step.delay, stream })
    }

    /// Lets another provider answer a changed request.
    pub(super) fn fallback(provider: Arc<dyn Provider>, request: Arc<Request>) -> Self {
        Self::Fallback { provider, request }
    }

    fn converse(self, context: CallContext) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let (answer, delay) = match self {
            Self::Answer { answer, delay, .. } => (answer, delay),
            Self::Fallback { provider, request } => return provider.converse(request, context),
        };
        let held = context.hold(answer.result.as_ref().map_or(0, |response| response.size()));
        let result = async move {
            held?;
            context.pause(delay).await?;
            answer.result.map(|response| *response)
        };
        result.boxed()
    }

    fn stream(self, context: CallContext) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let (Answer { pieces, result }, delay, stream) = match self {
            Self::Answer { answer, delay, stream } => (answer, delay, stream),
            Self::Fallback { provider, request } => return provider.stream(request, context),
        };
        let time_to_first_chunk = stream.time_to_first_chunk.saturating_add(delay);
        let stream = StreamOptions { time_to_first_chunk, ..stream };
        piece_deltas(pieces, result, stream, &context)
    }
}

/// Returns the response of a script or of its fallback.
pub(super) fn converse<S: Script>(
    script: Arc<S>,
    request: Arc<Request>,
    context: CallContext,
) -> BoxFuture<'static, Result<Response, ProviderError>> {
    match turn(&script, &request, &context) {
        Either::Left(turn) => respond(&*script, turn, request, context),
        Either::Right(later) => async move {
            let turn = later.await;
            respond(&*script, turn, request, context).await
        }
        .boxed(),
    }
}

/// Returns the response of a script or of its fallback, in pieces.
pub(super) fn stream<S: Script>(
    script: Arc<S>,
    request: Arc<Request>,
    context: CallContext,
) -> BoxStream<'static, Result<Delta, ProviderError>> {
    match turn(&script, &request, &context) {
        Either::Left(turn) => stream_turn(&*script, turn, request, context),
        Either::Right(later) => {
            let stream = async move {
                let turn = later.await;
                stream_turn(&*script, turn, request, context)
            };
            stream.flatten_stream().boxed()
        }
    }
}

fn respond(
    script: &impl Script,
    turn: Turn,
    request: Arc<Request>,
    context: CallContext,
) -> BoxFuture<'static, Result<Response, ProviderError>> {
    let fallback = match turn {
        Ok(Some(turn)) => return turn.converse(context),
        Ok(None) => script.fallback(),
        Err(error) => Err(error),
    };
    match fallback {
        Ok(fallback) => fallback.converse(request, context),
        Err(error) => future::ready(Err(error)).boxed(),
    }
}

fn stream_turn(
    script: &impl Script,
    turn: Turn,
    request: Arc<Request>,
    context: CallContext,
) -> BoxStream<'static, Result<Delta, ProviderError>> {
    let fallback = match turn {
        Ok(Some(turn)) => return turn.stream(context),
        Ok(None) => script.fallback(),
        Err(error) => Err(error),
    };
    match fallback {
        Ok(fallback) => fallback.stream(request, context),
        Err(error) => stream::once(future::ready(Err(error))).boxed(),
    }
}
