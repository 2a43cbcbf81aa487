//! Chat completions: answers with JSON, or with server-sent events if the request asks for a stream.

use std::sync::Arc;

use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};
use http::Request;

use super::handler::Handler;
use crate::{
    api::{
        http::response::{events, json},
        pipeline,
    },
    base::delivery::Delivery,
    chat,
    net::RequestBody,
    wire::{
        error::{Error, HttpError},
        openai::{ChatRequest, DecodedBody, Piece},
    },
};

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
        if request.request.is_streamed() {
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
