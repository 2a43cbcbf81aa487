//! A provider that owns tools. It runs the tool loop, and its caller sees only the answer.

mod answer;
mod memory;
mod metrics;

use std::{ops::Range, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::BoxStream,
};

use self::answer::{TextJoiner, answer};
pub(crate) use self::{memory::ToolMemory, metrics::OwnerMetrics};
use super::{LoopEvent, LoopResult, Run, ToolLoop};
use crate::{
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
    /// The number of messages at its start.
    start: usize,
}

impl ToolOwner {
    pub(crate) fn new(model: Arc<dyn Provider>, tools: ToolLoop, memory: ToolMemory) -> Self {
        Self { model, tools, memory }
    }

    fn start(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> (Run, Call) {
        let mut request = Arc::unwrap_or_clone(request);
        let unseen = self.memory.restore(&mut request.messages);
        let start = request.messages.len();
        let run = self.tools.run(self.model.clone(), request).in_call(context.clone(), unseen);
        (run, Call { owner: self, context, start })
    }
}

impl Call {
    /// Returns the answer to the caller, and remembers what it has not seen.
    fn finish(self, mut result: LoopResult) -> Result<Response, ProviderError> {
        let turns = result.transcript.split_off(self.start.min(result.transcript.len()));
        let response = answer(&result, &turns)?;
        self.owner.memory.remember(&response.tool_calls, turns);
        self.context.hold(response.size());
        Ok(response)
    }
}

impl Provider for ToolOwner {
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let (run, call) = self.start(request, context);
        async move { call.finish(run.await) }.boxed()
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let (run, call) = self.start(request, context);
        let (mut texts, mut call) = (TextJoiner::default(), Some(call));
        let deltas = run.stream().filter_map(move |event| {
            future::ready(match event {
                LoopEvent::Text(text) => Some(Ok(Delta::Text(texts.join(text)))),
                LoopEvent::ToolsFinished { .. } => {
                    texts.end_turn();
                    None
                }
                LoopEvent::Ended(result) => call.take().map(|call| {
                    call.finish(result).map(|response| Delta::Complete(Box::new(response)))
                }),
                LoopEvent::ToolStarted { .. } | LoopEvent::ToolFinished(_) => None,
            })
        });
        deltas.boxed()
    }

    fn instruction_ranges(&self, text: &str) -> Vec<Range<usize>> {
        self.model.instruction_ranges(text)
    }
}
