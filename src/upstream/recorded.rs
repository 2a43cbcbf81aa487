//! A model whose answers are recorded.

use std::sync::Arc;

use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};

use super::Recorder;
use crate::{
    base::clock::{self, Moment},
    chat::{Delta, Request, Response},
    provider::{
        Answering, CallContext, Deltas, Live, Provider, ProviderError,
        scripted::recordings::{Exchange, Recorded, RecordedAnswer},
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

impl RecordedCall {
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
            Delta::Text(text) => self.chunks.get_or_insert_default().push(text.chars().count()),
            Delta::Reasoning(text) => self.reasoning_chunks.push(text.chars().count()),
            Delta::Complete(_) => {}
        }
    }

    async fn record(self, end: Result<Response, ProviderError>) {
        let recorder = self.provider.recorder.clone();
        if !recorder.wants(&end) {
            return;
        }
        let model = end.as_ref().ok().and_then(|it| it.served_by.as_deref()).map(str::to_owned);
        let date = clock::timestamp().strftime("%Y-%m-%d").to_string();
        let answer = RecordedAnswer {
            end,
            chunks: self.chunks,
            reasoning_chunks: self.reasoning_chunks,
            recorded: Recorded { date, duration: self.start.age(), model },
        };
        let component = &self.provider.component;
        recorder.add(Exchange::new(&self.request, component, &self.session, answer)).await;
    }
}

impl Live for RecordedCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let asked = self.asked();
        let Self { provider, request, context } = *self;
        async move {
            let end = provider.model.clone().converse(request, context).await;
            asked.record(end.clone()).await;
            end
        }
        .boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        let asked = self.asked();
        let Self { provider, request, context } = *self;
        let deltas = provider.model.clone().stream(request, context);
        // A stream that is not read to its end is not recorded.
        let next = |(mut deltas, asked): (Deltas, Option<Asked>)| async move {
            let mut asked = asked?;
            let delta = deltas.next().await?;
            let end = match &delta {
                Ok(Delta::Complete(response)) => Ok((**response).clone()),
                Ok(piece) => {
                    asked.add(piece);
                    return Some((delta, (deltas, Some(asked))));
                }
                Err(error) => Err(error.clone()),
            };
            asked.record(end).await;
            Some((delta, (deltas, None)))
        };
        stream::unfold((deltas, Some(asked)), next).boxed()
    }
}
