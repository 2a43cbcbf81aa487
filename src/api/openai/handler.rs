//! What the requests of OpenAI's API share; chat completions, which are JSON or server-sent events;
//! and embeddings. No component makes embeddings, and nothing records them.

use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http::Request;

use crate::{
    api::{
        access::Guard,
        http::{
            body::read,
            response::{events, json},
        },
        pipeline,
    },
    base::delivery::Delivery,
    chat,
    engine::Engine,
    net::{RequestBody, TransportCall},
    provider::{CallContext, call::Surface},
    wire::{
        error::{Error, HttpError},
        headers::call_context,
        openai::{self, ChatRequest, DecodedBody, EmbeddingRequest, ModelRequest, Piece},
        sent::SentRequest,
    },
};

/// Answers requests.
#[derive(Debug, Clone)]
pub(super) struct Handler {
    pub(super) engine: Arc<Engine>,
    pub(super) guard: Arc<Guard>,
    /// The component for models that are not components.
    pub(super) default_component: Option<Arc<str>>,
}

impl Handler {
    /// Reads a request. Returns its body, its call and what its headers tell of the call.
    pub(super) async fn read(
        &self,
        request: Request<RequestBody>,
    ) -> Result<(Bytes, TransportCall, CallContext), Error> {
        let (head, body) = request.into_parts();
        let call = body.call().clone();
        let body = read(body, self.guard.max_body_size, call.charge()).await?;
        let context = call_context(Surface::OpenAi, &head.headers, call.charge());
        Ok((body, call, context))
    }

    /// Decodes a request and finds its component. `deployment` is the model in the path, if it has one.
    pub(super) async fn decode<M: ModelRequest>(
        &self,
        body: Bytes,
        deployment: Option<&str>,
        context: &mut CallContext,
    ) -> Result<DecodedBody<M>, Error> {
        // Only the journal needs the body after it was decoded.
        let mut sent = self.engine.journal.is_some().then(|| SentRequest::json(M::API, &body));
        let mut request = match pipeline::decode(openai::Body(body), context, Box::<M>::new).await {
            Ok(request) => request,
            Err(error) => return Err(self.reject(error, sent, context)),
        };
        sent.iter_mut().for_each(|sent| sent.summarize(request.large_attachments()));
        match self.looked_up(deployment.unwrap_or(request.model())).await {
            Ok(component) => request.set_component(component),
            Err(error) => return Err(self.reject(error, sent, context)),
        }
        Ok(DecodedBody { request, sent })
    }

    /// Records a call that has reached no component. Returns its error.
    #[cold]
    pub(super) fn reject(
        &self,
        error: Error,
        sent: Option<SentRequest>,
        context: &mut CallContext,
    ) -> Error {
        self.engine.record(context, false, || sent).rejected(error, context)
    }

    /// Returns the name of the component that a model stands for, which only daprd may have. An error of
    /// daprd matters only if no other component stands for the model.
    async fn looked_up(&self, model: &str) -> Result<String, Error> {
        if !self.engine.must_look_up(model) {
            return self.component(model);
        }
        let looked_up = Box::pin(self.engine.look_up()).await;
        self.component(model).map_err(|unknown| looked_up.err().unwrap_or(unknown))
    }

    /// Returns the name of the component that a model stands for: the one of that name, or else the
    /// default, or else the only one.
    pub(super) fn component(&self, model: &str) -> Result<String, Error> {
        let components = &self.engine.components;
        let names = [Some(model), self.default_component.as_deref()];
        let named = names.into_iter().flatten().find_map(|name| components.find(name).ok());
        if let Some(component) = named {
            return Ok(component.name.clone());
        }
        match components.all().as_slice() {
            [only] => Ok(only.name.clone()),
            all => {
                let served = all.iter().map(|component| component.name.clone()).collect();
                Err(Error::UnknownModel { model: model.to_owned(), served })
            }
        }
    }
}

impl Handler {
    /// Answers a request for a chat completion. `deployment` is the model in the path, which Azure's
    /// variant has.
    pub(super) async fn complete(
        self: Arc<Self>,
        deployment: Option<String>,
        request: Request<RequestBody>,
    ) -> Result<Response, Error> {
        let (body, call, mut context) = self.read(request).await?;
        let request: DecodedBody<ChatRequest> =
            self.decode(body, deployment.as_deref(), &mut context).await?;
        if request.request.is_streamed {
            // Boxed, so that the future of an answer that is not streamed stays small.
            let pieces = pipeline::stream::<ChatRequest, _, _>(&self.engine, request, context);
            let pieces = Box::pin(pieces).await?;
            return Ok(events(call, encoded(pieces)));
        }
        let answer = pipeline::converse::<ChatRequest>(&self.engine, request, context).await?;
        let size = answer.size();
        let body = pipeline::encode(size, move || answer.to_json()).await?;
        call.charge().set(body.len())?;
        Ok(json(body))
    }
}

/// Encodes the pieces of an answer as events.
fn encoded(
    pieces: impl Stream<Item = Result<Piece, chat::Error>>,
) -> impl Stream<Item = Result<String, Delivery>> {
    let events = pieces.flat_map(|piece| match piece {
        Ok(piece) => stream::iter(piece.encode()).left_stream(),
        Err(error) => stream::iter([Err(error.into())]).right_stream(),
    });
    events.map(|event| event.or_else(|error| failure(&error)))
}

/// Returns the event for an error, with which a stream ends.
fn failure(error: &Error) -> Result<String, Delivery> {
    if error.delivery().is_early() {
        return Err(error.delivery());
    }
    Ok(format!("data: {}\n\n", HttpError::openai(error).body))
}

impl Handler {
    /// Answers a request for embeddings. `deployment` is the model in the path, if it has one.
    pub(super) async fn embed(
        self: Arc<Self>,
        deployment: Option<String>,
        request: Request<RequestBody>,
    ) -> Result<Response, Error> {
        let (body, call, context) = self.read(request).await?;
        let mut request: EmbeddingRequest =
            pipeline::decode(openai::Body(body), &context, |it| it).await?;
        let component = self.component(deployment.as_deref().unwrap_or(&request.model))?;
        request.set_component(component);
        let size = request.answer_size();
        call.charge().grow(size).await?;
        let (_cancel, cancellation) = (context.cancel_on_drop(), context.cancellation());
        let body = pipeline::encode(size, move || request.answer(&cancellation)).await?;
        call.charge().set(body.len())?;
        Ok(json(body))
    }
}
