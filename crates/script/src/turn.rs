//! How a script gets to its answer: selecting a turn, and performing it.

use std::sync::Arc;

use futures_util::FutureExt;
use mynah_core::{
    base::blocking::is_blocking_thread,
    chat::Request,
    provider::{Answering, CallContext, Provider, ProviderError},
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
    ) -> Result<Answering, ProviderError>;

    /// Returns the provider for requests that the script has no turn for.
    fn fallback(&self) -> Result<Arc<dyn Provider>, ProviderError>;
}

/// Returns the answer of a script or of its fallback. Works on a blocking thread if that may take long.
pub(super) fn answer<S: Script>(
    script: Arc<S>,
    request: Arc<Request>,
    context: CallContext,
) -> Answering {
    let is_blocking = is_blocking_thread();
    if !is_blocking && script.is_long_to_select(&request, &context) {
        return Answering::Later(long_turn(script, request, context).boxed());
    }
    answer_or_error(select_and_perform(&script, &request, &context, is_blocking))
}

/// Selects a turn. Performs it at once if that is brief, or if it may take long and there is memory for the
/// answer.
fn select_and_perform<S: Script>(
    script: &Arc<S>,
    request: &Arc<Request>,
    context: &CallContext,
    may_take_long: bool,
) -> Result<Answering, ProviderError> {
    let Some(selection) = script.select(request, context)? else {
        return Ok(script.fallback()?.answer(request.clone(), context.clone()));
    };
    let Some(size) = S::long_answer(&selection, request) else {
        return script.perform(selection, request, context);
    };
    match may_take_long.then(|| context.reserve_response_now(size)).flatten() {
        Some(_until_performed) => script.perform(selection, request, context),
        None => {
            let (script, request, context) = (script.clone(), request.clone(), context.clone());
            let turn = perform_long(script, request, context, selection, size);
            Ok(Answering::Later(turn.boxed()))
        }
    }
}

/// Selects a turn on a blocking thread. A long answer is performed in another job, which keeps its memory
/// until the answer arrives.
async fn long_turn<S: Script>(
    script: Arc<S>,
    request: Arc<Request>,
    context: CallContext,
) -> Answering {
    let of_turn = context.clone();
    let select = move || {
        let answering = select_and_perform(&script, &request, &of_turn, false)?;
        Ok(answering.charge(&of_turn))
    };
    answer_or_error(context.run_blocking(select).await)
}

/// Performs a turn whose answer has at most `size` bytes on a blocking thread.
async fn perform_long<S: Script>(
    script: Arc<S>,
    request: Arc<Request>,
    context: CallContext,
    selection: S::Selection,
    size: usize,
) -> Answering {
    let of_turn = context.clone();
    let perform = move || script.perform(selection, &request, &of_turn);
    answer_or_error(context.run_blocking_reserved(size, perform).await)
}

fn answer_or_error(answering: Result<Answering, ProviderError>) -> Answering {
    answering.unwrap_or_else(Answering::from)
}
