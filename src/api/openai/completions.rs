//! Chat completions: answers with JSON, or with server-sent events if the request asks for a stream.

use std::sync::Arc;

use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};
use http::Request;

use super::handler::Handler;
use crate::{
    api::{
        delivery::early_ending,
        http::response::{events, json},
        pipeline,
    },
    base::{ending::Ending, memory::Charge},
    chat,
    net::RequestBody,
    provider::{CallContext, call::Surface},
    wire::{
        error::{Error, HttpError},
        headers::call_context,
        openai::{self, ChatRequest, DecodedBody, Piece},
        sent::SentRequest,
    },
};

impl Handler {
    /// Answers a request for a chat completion. `deployment` is the model in the path, which Azure's
    /// variant has.
    pub(super) async fn complete(
        &self,
        charge: Arc<Charge>,
        deployment: Option<String>,
        request: Request<RequestBody>,
    ) -> Result<Response, Error> {
        let (head, body) = self.read(request, &charge).await?;
        let mut context = call_context(Surface::OpenAi, &head.headers, &charge);
        // Only the journal needs the body after it was decoded.
        let mut sent = self.engine.journal.is_some().then(|| SentRequest::openai(&body));
        let mut request: ChatRequest =
            match pipeline::decode(openai::Body(body), &context, Ok).await {
                Ok(request) => request,
                Err(error) => return Err(self.reject(error, sent, &mut context)),
            };
        sent.iter_mut().for_each(|sent| request.summarize(sent));
        match self.component(deployment.as_deref().unwrap_or(request.model())) {
            Ok(component) => request.set_component(component),
            Err(error) => return Err(self.reject(error, sent, &mut context)),
        }
        let request = DecodedBody { request, sent };
        if request.request.is_streamed() {
            let pieces =
                pipeline::stream::<ChatRequest, _, _>(&self.engine, request, context).await?;
            return Ok(events(encoded(pieces)));
        }
        let answer = pipeline::converse::<ChatRequest>(&self.engine, request, context).await?;
        let size = answer.size();
        charge.set(size);
        charge.check()?;
        let body = pipeline::encode(size, move || answer.to_json()).await?;
        charge.set(body.len());
        Ok(json(body))
    }

    /// Records a call that has reached no component. Returns its error.
    #[cold]
    fn reject(&self, error: Error, sent: Option<SentRequest>, context: &mut CallContext) -> Error {
        self.engine.record(context, false, || sent).rejected(error, context)
    }
}

/// Encodes the pieces of an answer as events.
fn encoded(
    pieces: impl Stream<Item = Result<Piece, chat::Error>>,
) -> impl Stream<Item = Result<String, Ending>> {
    let events = pieces.flat_map(|piece| match piece {
        Ok(piece) => stream::iter(piece.encode()).left_stream(),
        Err(error) => stream::iter([Err(error.into())]).right_stream(),
    });
    events.map(|event| event.or_else(|error| failure(&error)))
}

/// Returns the event for an error, with which a stream ends.
fn failure(error: &Error) -> Result<String, Ending> {
    match early_ending(error.delivery()) {
        Some(ending) => Err(ending),
        None => Ok(format!("data: {}\n\n", HttpError::openai(error).body)),
    }
}
