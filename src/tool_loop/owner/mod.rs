//! A provider that owns tools. It runs the tool loop, and its caller sees only the answer.

mod answer;
mod memory;
mod metrics;
#[cfg(test)]
mod tests;

use std::{mem, ops::Range, sync::Arc};

use futures_util::{
    FutureExt, Stream, StreamExt, TryFutureExt,
    future::{self, BoxFuture},
    stream::BoxStream,
};

use self::answer::{TextJoiner, answer};
pub(crate) use self::{memory::ToolMemory, metrics::OwnerMetrics};
use super::{
    LoopEvent, LoopResult, Run, ToolLoop,
    scrub::{MAX_BRIEF, scrub_message},
};
use crate::{
    base::blocking::run_blocking,
    chat::{Delta, Request, Response},
    provider::{CallContext, Provider, ProviderError},
};

/// A provider that runs the tools of a component.
///
/// If the model calls tools of the component only, they run, and the model is asked again. If it
/// calls any of the caller's tools, the component's tools run, and the caller gets its calls.
pub(crate) struct ToolOwner {
    model: Arc<dyn Provider>,
    tools: ToolLoop,
    memory: ToolMemory,
}

/// A call to the component.
struct Call {
    owner: Arc<ToolOwner>,
    context: CallContext,
    /// The messages at its start that the caller did not send.
    unseen: Vec<Range<usize>>,
    /// The number of messages at its start.
    start: usize,
}

impl ToolOwner {
    pub(crate) fn new(model: Arc<dyn Provider>, tools: ToolLoop, memory: ToolMemory) -> Self {
        Self { model, tools, memory }
    }

    /// Starts a call. Fails if there is no memory for what its caller has not seen.
    async fn start(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> Result<(Run, Call), ProviderError> {
        let unseen = self.memory.unseen(&request.messages);
        let bytes = unseen.size();
        context.reserve(bytes).await?;
        let scrubber = context.result_scrubber();
        let mut request = Arc::unwrap_or_clone(request);
        let put_back = move || {
            let scrub = |message| scrub_message(message, scrubber);
            let unseen = unseen.put_back(&mut request.messages, scrub);
            (request, unseen)
        };
        let is_long = scrubber.is_some() && bytes > MAX_BRIEF;
        let (request, unseen) = if is_long { run_blocking(put_back).await? } else { put_back() };
        let start = request.messages.len();
        let run = self.tools.run(self.model.clone(), request);
        let run = run.in_call(context.clone(), unseen.clone());
        Ok((run, Call { owner: self, context, unseen, start }))
    }
}

impl Call {
    /// Returns the answer to the caller, and remembers what it has not seen. `unfinished` is the text
    /// that was streamed since the last turn.
    fn finish(self, mut result: LoopResult, unfinished: &str) -> Result<Response, ProviderError> {
        let turns = result.transcript.split_off(self.start.min(result.transcript.len()));
        let response = answer(&result, &turns, unfinished)?;
        let is_seen = |at| !self.unseen.iter().any(|range| range.contains(&at));
        let history = result.transcript.iter().enumerate().filter(|(at, _)| is_seen(*at));
        let history = history.map(|(_, message)| message);
        self.owner.memory.remember(history, &response.tool_calls, turns);
        self.context.hold(response.size());
        Ok(response)
    }

    fn deltas(self, run: Run) -> impl Stream<Item = Result<Delta, ProviderError>> + Send {
        let (mut texts, mut call) = (TextJoiner::default(), Some(self));
        run.stream().filter_map(move |event| {
            future::ready(match event {
                LoopEvent::Text(text) => Some(Ok(Delta::Text(texts.join(text)))),
                LoopEvent::ToolsFinished { .. } => {
                    texts.end_turn();
                    None
                }
                LoopEvent::Ended(result) => call.take().map(|call| {
                    let response = call.finish(result, &mem::take(&mut texts).into_unfinished())?;
                    Ok(Delta::Complete(Box::new(response)))
                }),
                LoopEvent::ToolStarted { .. } | LoopEvent::ToolFinished(_) => None,
            })
        })
    }
}

impl Provider for ToolOwner {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        async move {
            let (run, call) = self.start(request, context).await?;
            call.finish(run.await, "")
        }
        .boxed()
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let deltas = async move {
            let (run, call) = self.start(request, context).await?;
            Ok(call.deltas(run))
        };
        deltas.try_flatten_stream().boxed()
    }

    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        self.model.instruction_ranges(text)
    }
}
