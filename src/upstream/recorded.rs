//! A model whose answers are recorded.

use std::sync::Arc;

use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};

use super::{Recorder, repeats::Fingerprint, writer::Observed};
use crate::{
    base::clock::{self, Moment},
    chat::{Delta, Request, Response},
    provider::{
        Answering, CallContext, Deltas, Live, Provider, ProviderError,
        scripted::recordings::{Recorded, RecordedAnswer},
    },
};

/// A model whose answers are recorded.
pub(crate) struct RecordedProvider {
    component: String,
    model: Arc<dyn Provider>,
    recorder: Arc<Recorder>,
}

impl RecordedProvider {
    /// Records the answers of a component's model.
    pub(crate) fn new(component: &str, model: Arc<dyn Provider>, recorder: Arc<Recorder>) -> Self {
        Self { component: component.to_owned(), model, recorder }
    }
}

impl Provider for RecordedProvider {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        Answering::Live(Box::new(RecordedCall { provider: self, request, context }))
    }
}

struct RecordedCall {
    provider: Arc<RecordedProvider>,
    request: Arc<Request>,
    context: CallContext,
}

/// What is known of an exchange before its answer.
struct Asked {
    provider: Arc<RecordedProvider>,
    request: Arc<Request>,
    session: String,
    start: Moment,
    /// The lengths of the chunks of the text and of the reasoning, if the answer is streamed.
    chunks: Option<Vec<usize>>,
    reasoning_chunks: Vec<usize>,
}

/// A call whose answer is not complete. Dropping it notes that the answer is not recorded.
struct Unfinished(Option<Arc<RecordedProvider>>);

impl Unfinished {
    /// Notes that the answer is complete, or that the call has failed.
    fn finish(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(provider) = self.0.take() {
            provider.recorder.add_cut(&provider.component);
        }
    }
}

impl RecordedCall {
    fn unfinished(&self) -> Unfinished {
        Unfinished(Some(self.provider.clone()))
    }

    fn asked(&self) -> Asked {
        Asked {
            provider: self.provider.clone(),
            request: self.request.clone(),
            session: self.context.session_name().to_owned(),
            start: Moment::now(),
            chunks: None,
            reasoning_chunks: Vec::new(),
        }
    }
}

impl Asked {
    fn add(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) => add_length(self.chunks.get_or_insert_default(), text),
            Delta::Reasoning(text) => add_length(&mut self.reasoning_chunks, text),
            Delta::Complete(_) => {}
        }
    }

    /// Records an exchange. The serving thread only finds out whether it is known.
    async fn record(self, end: Result<&Response, &ProviderError>) {
        let Self { provider, request, session, chunks, .. } = &self;
        if !provider.recorder.wants(end) {
            return;
        }
        let is_streamed = chunks.is_some();
        let exchange = Fingerprint::new(&provider.component, session, request, end, is_streamed);
        if let Some(repeats) = provider.recorder.count(exchange) {
            let recorder = provider.recorder.clone();
            let end = end.cloned().map_err(Clone::clone);
            recorder.add(self.observed(end, exchange, repeats)).await;
        }
    }

    fn observed(
        self,
        end: Result<Response, ProviderError>,
        fingerprint: Fingerprint,
        repeats: usize,
    ) -> Observed {
        let model = end.as_ref().ok().and_then(|it| it.served_by.as_deref()).map(str::to_owned);
        let date = clock::timestamp().strftime("%Y-%m-%d").to_string();
        let Self { provider, request, session, start, chunks, reasoning_chunks } = self;
        let recorded = Recorded { date, duration: start.age(), model };
        let answer = RecordedAnswer { end, chunks, reasoning_chunks, recorded };
        let component = provider.component.clone();
        Observed { component, session, request, answer, fingerprint, repeats }
    }
}

/// Adds the length of a chunk, unless it is empty.
fn add_length(lengths: &mut Vec<usize>, chunk: &str) {
    lengths.extend(Some(chunk.chars().count()).filter(|length| *length > 0));
}

impl Live for RecordedCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let (asked, unfinished) = (self.asked(), self.unfinished());
        let Self { provider, request, context } = *self;
        async move {
            let end = provider.model.clone().converse(request, context).await;
            asked.record(end.as_ref()).await;
            unfinished.finish();
            end
        }
        .boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        let call = (self.asked(), self.unfinished());
        let Self { provider, request, context } = *self;
        let deltas = provider.model.clone().stream(request, context);
        // A stream that is not read to its end is not recorded.
        let next = |(mut deltas, call): (Deltas, Option<(Asked, Unfinished)>)| async move {
            let (mut asked, unfinished) = call?;
            let delta = deltas.next().await?;
            let end = match &delta {
                Ok(Delta::Complete(response)) => Ok(&**response),
                Ok(piece) => {
                    asked.add(piece);
                    return Some((delta, (deltas, Some((asked, unfinished)))));
                }
                Err(error) => Err(error),
            };
            asked.record(end).await;
            unfinished.finish();
            Some((delta, (deltas, None)))
        };
        stream::unfold((deltas, Some(call)), next).boxed()
    }
}
