//! A call of a model.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use futures_util::{
    FutureExt, StreamExt, TryFutureExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use http::{
    HeaderValue, Request as HttpRequest, Response as HttpResponse, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use http_body_util::Full;
use hyper::body::Incoming;

use super::{
    endpoint::Endpoint,
    error,
    events::Pieces,
    reply,
    request::{self, Delivery},
};
use crate::{
    base::{
        blocking::{LARGE, run_blocking_if},
        clock,
    },
    chat::{Delta, Request, Response},
    provider::{CallContext, Deltas, Live, ProviderError, deadline_exceeded},
    tools::{Incomplete, read_body, read_event_data},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENT_STREAM: &str = "text/event-stream";
/// What ends a stream.
const DONE: &str = "[DONE]";

/// A call that is sent when its answer is wanted.
pub(super) struct OpenAiCall {
    endpoint: Arc<Endpoint>,
    request: Arc<Request>,
    context: CallContext,
}

impl OpenAiCall {
    pub(super) fn new(
        endpoint: Arc<Endpoint>,
        request: Arc<Request>,
        context: CallContext,
    ) -> Self {
        Self { endpoint, request, context }
    }

    fn name(&self) -> &str {
        &self.endpoint.settings.model
    }

    /// Waits, but no longer than the client does.
    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, ProviderError> {
        match self.context.deadline {
            None => Ok(work.await),
            Some(deadline) => {
                clock::within(deadline.remaining(), work).await.ok_or_else(deadline_exceeded)
            }
        }
    }

    async fn send(&self, delivery: Delivery) -> Result<HttpResponse<Incoming>, ProviderError> {
        let body = request::encode(&self.request, self.name(), delivery)?;
        let mut request = HttpRequest::post(&self.endpoint.settings.url)
            .body(Full::from(Bytes::from(body)))
            .map_err(|error| ProviderError::internal(error.to_string()))?;
        let (key, value) = self.endpoint.settings.key.clone();
        request.headers_mut().extend([(key, value), (CONTENT_TYPE, JSON), (ACCEPT, JSON)]);
        let sent = self.in_time(self.endpoint.client.send_once(request)).await?;
        sent.map_err(|cause| error::unreachable(&cause))
    }

    /// Reads the error of a response with another status than 200.
    async fn refusal(&self, response: HttpResponse<Incoming>) -> ProviderError {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = self.body(response).await.unwrap_or_default();
        error::of_status(status, &headers, &body)
    }

    async fn body(&self, response: HttpResponse<Incoming>) -> Result<Vec<u8>, ProviderError> {
        let memory = self.context.reservation();
        let read = self.in_time(read_body(response, &memory)).await?;
        read.map(|(_, body)| body).map_err(|reason| error::unreadable(&reason))
    }

    /// Decodes a whole answer, and charges the call for it.
    async fn decode(&self, response: HttpResponse<Incoming>) -> Result<Response, ProviderError> {
        let body = self.body(response).await?;
        let (request, model) = (self.request.clone(), self.name().to_owned());
        let is_large = body.len() > LARGE;
        let decoded =
            run_blocking_if(is_large, move || reply::decode(&body, &request, &model)).await??;
        self.context.hold(decoded.size())?;
        Ok(decoded)
    }

    async fn request_whole(self) -> Result<Response, ProviderError> {
        let response = self.send(Delivery::Whole).await?;
        match response.status() {
            StatusCode::OK => self.decode(response).await,
            _ => Err(self.refusal(response).await),
        }
    }

    async fn open(self) -> Result<Deltas, ProviderError> {
        let mut response = self.send(Delivery::Stream { with_usage: true }).await?;
        if matches!(response.status().as_u16(), 400 | 422) {
            let refusal = self.refusal(response).await;
            if !refusal.message.contains("stream_options") {
                return Err(refusal);
            }
            response = self.send(Delivery::Stream { with_usage: false }).await?;
        }
        if response.status() != StatusCode::OK {
            return Err(self.refusal(response).await);
        }
        if !has_events(&response) {
            return Ok(stream::iter(deltas(self.decode(response).await?).map(Ok)).boxed());
        }
        let memory = Arc::new(self.context.reservation());
        let events = read_event_data(response, memory).map_err(|it| error::unreadable(&it))?;
        let (pieces, ready) = (Some(Pieces::default()), VecDeque::new());
        let reading = Reading { call: self, events, pieces, ready };
        Ok(stream::try_unfold(reading, Reading::next).boxed())
    }
}

impl Live for OpenAiCall {
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>> {
        self.request_whole().boxed()
    }

    fn pieces(self: Box<Self>) -> Deltas {
        self.open().try_flatten_stream().boxed()
    }
}

/// An answer that is being received.
struct Reading {
    call: OpenAiCall,
    events: BoxStream<'static, Result<String, Incomplete>>,
    /// What has been received. `None` after the end.
    pieces: Option<Pieces>,
    /// What has not been passed on yet.
    ready: VecDeque<Delta>,
}

impl Reading {
    async fn next(mut self) -> Result<Option<(Delta, Self)>, ProviderError> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Ok(Some((delta, self)));
            }
            let Some(pieces) = &mut self.pieces else { return Ok(None) };
            match self.call.in_time(self.events.next()).await? {
                Some(Ok(data)) if data.trim() == DONE => self.end()?,
                Some(Ok(data)) => self.ready.extend(pieces.add(&data)?),
                None if pieces.has_ended() => self.end()?,
                None => return Err(error::incomplete(Incomplete::Broken)),
                Some(Err(cause)) => return Err(error::incomplete(cause)),
            }
        }
    }

    fn end(&mut self) -> Result<(), ProviderError> {
        // The memory of the events counts until here.
        self.events = stream::empty().boxed();
        let Some(pieces) = self.pieces.take() else { return Ok(()) };
        let response = pieces.complete(&self.call.request, self.call.name())?;
        self.call.context.hold(response.size())?;
        self.ready.push_back(Delta::Complete(response.into()));
        Ok(())
    }
}

fn has_events(response: &HttpResponse<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with(EVENT_STREAM))
}

/// Returns the deltas of a whole answer, for servers that do not stream.
fn deltas(response: Response) -> impl Iterator<Item = Delta> {
    let is_text = |text: &String| !text.is_empty();
    let reasoning = Some(response.reasoning.clone()).filter(is_text).map(Delta::Reasoning);
    let text = Some(response.content.clone()).filter(is_text).map(Delta::Text);
    reasoning.into_iter().chain(text).chain([Delta::Complete(response.into())])
}
