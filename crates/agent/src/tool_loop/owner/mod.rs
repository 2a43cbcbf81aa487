//! A provider that owns tools. It runs the tool loop, and its caller sees only the answer.

mod answer;
mod memory;
mod metrics;
mod sessions;
#[cfg(test)]
mod tests;

use std::{mem, ops::Range, sync::Arc};

use futures_util::{
    FutureExt, Stream, StreamExt, TryFutureExt,
    future::{self, BoxFuture, Either, OptionFuture},
};
use mynah_core::{
    base::blocking::{LARGE, run_blocking_if},
    chat::{Delta, Request, Response},
    provider::{Answering, CallContext, Deltas, Live, Provider, ProviderError},
};

use self::{
    answer::{StreamedTurns, Unfinished, answer},
    sessions::{ToolSessions, ToolsInUse},
};
pub use self::{memory::ToolMemory, metrics::OwnerMetrics};
use super::{
    LoopEvent, LoopResult, Run, ToolLoop,
    scrub::{MAX_BRIEF, scrub_message},
    start::{is_large, is_long},
};

/// A provider that runs the tools of a component.
///
/// If the model calls tools of the component only, they run, and the model is asked again. If it
/// calls any of the caller's tools, the component's tools run, and the caller gets its calls.
pub struct ToolOwner {
    model: Arc<dyn Provider>,
    sessions: Arc<ToolSessions>,
}

/// A call to the component.
struct StartedCall {
    session: ToolsInUse,
    context: CallContext,
    /// The messages at its start that the caller did not send.
    unseen: Vec<Range<usize>>,
    /// The number of messages at its start.
    start: usize,
}

impl ToolOwner {
    /// Creates the provider that runs these tools around `model`.
    pub fn new(model: Arc<dyn Provider>, tools: ToolLoop, memory: ToolMemory) -> Self {
        Self { model, sessions: Arc::new(ToolSessions::new(tools, memory)) }
    }

    /// Starts a call. Fails if there is no memory for what its caller has not seen.
    async fn start(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<(Run, StartedCall), ProviderError> {
        let session = self.sessions.enter(context.session_name());
        let (tools, is_large) = (session.tools.clone(), is_large(&request));
        let find = move || (tools.memory.unseen(&request.messages), request);
        let (unseen, request) = run_blocking_if(is_large, find).await?;
        let bytes = unseen.size();
        context.reserve(bytes).await?;
        let scrubber = context.result_scrubber();
        let put_back = move || {
            let mut request = Arc::unwrap_or_clone(request);
            let scrub = |message| scrub_message(message, scrubber);
            let unseen = unseen.put_back(&mut request.messages, scrub);
            (request, unseen)
        };
        let is_large = is_large || bytes > if scrubber.is_some() { MAX_BRIEF } else { LARGE };
        let (request, unseen) = run_blocking_if(is_large, put_back).await?;
        let start = request.messages.len();
        let run = session.tools.tools.run(self.model.clone(), request);
        let run = run.in_call(context.clone(), unseen.clone());
        Ok((run, StartedCall { session, context, unseen, start }))
    }
}

impl StartedCall {
    /// Returns the answer to the caller, and remembers what it has not seen. `unfinished` is
    /// what was streamed since the last turn.
    async fn finish(
        self,
        result: LoopResult,
        unfinished: Unfinished,
    ) -> Result<Response, ProviderError> {
        let is_large = is_long(&result.transcript);
        run_blocking_if(is_large, move || self.answer(result, &unfinished)).await?
    }

    fn answer(
        self,
        mut result: LoopResult,
        unfinished: &Unfinished,
    ) -> Result<Response, ProviderError> {
        let turns = result.transcript.split_off(self.start.min(result.transcript.len()));
        let response = answer(&result, &turns, unfinished)?;
        let is_seen = |at| !self.unseen.iter().any(|range| range.contains(&at));
        let history = result.transcript.iter().enumerate().filter(|(at, _)| is_seen(*at));
        let history = history.map(|(_, message)| message);
        self.session.tools.memory.remember(history, &response.tool_calls, turns);
        self.context.hold(response.size())?;
        Ok(response)
    }

    fn deltas(self, run: Run) -> impl Stream<Item = Result<Delta, ProviderError>> + Send {
        let (mut streamed, mut call) = (StreamedTurns::default(), Some(self));
        run.stream().filter_map(move |event| {
            let delta = match event {
                LoopEvent::Reasoning(text) => {
                    Some(Ok(Delta::Reasoning(streamed.reasoning.join(text))))
                }
                LoopEvent::Text(text) => Some(Ok(Delta::Text(streamed.text.join(text)))),
                LoopEvent::ToolsFinished { .. } => {
                    streamed.end_turn();
                    None
                }
                LoopEvent::Ended(result) => {
                    let unfinished = mem::take(&mut streamed).into_unfinished();
                    let end = call.take().map(|call| call.finish(result, unfinished));
                    return Either::Right(OptionFuture::from(end).map(|response| {
                        Some(response?.map(|response| Delta::Complete(Box::new(response))))
                    }));
                }
                LoopEvent::ToolStarted { .. } | LoopEvent::ToolFinished(_) => None,
            };
            Either::Left(future::ready(delta))
        })
    }
}

/// A call that starts when its answer is wanted.
struct OwnerCall {
    owner: Arc<ToolOwner>,
    request: Arc<Request>,
    context: CallContext,
}

impl Live for OwnerCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        async move {
            let (run, call) = self.owner.start(self.request, self.context).await?;
            // The server polls the call until it ends.
            call.finish(run.run_to_end(None).await, Unfinished::default()).await
        }
        .boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        let deltas = async move {
            let (run, call) = self.owner.start(self.request, self.context).await?;
            Ok(call.deltas(run))
        };
        deltas.try_flatten_stream().boxed()
    }
}

impl Provider for ToolOwner {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        Answering::Live(Box::new(OwnerCall { owner: self, request, context }))
    }

    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        self.model.instruction_ranges(text)
    }

    fn offer_tools(&self, request: &mut Request) {
        self.sessions.offer(request);
    }

    fn reset(&self, session: Option<&str>) {
        self.model.reset(session);
        self.sessions.reset(session);
    }
}
