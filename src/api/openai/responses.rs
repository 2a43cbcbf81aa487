//! Responses: answers with JSON, or with server-sent events if the request asks for a stream. Keeps
//! them for requests that continue them.

use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http::Request;

use super::handler::Handler;
use crate::{
    api::{
        http::response::{events, json},
        pipeline,
    },
    base::{delivery::Delivery, memory::Charge},
    chat,
    engine::Engine,
    net::RequestBody,
    provider::{CallContext, call::Surface},
    wire::{
        error::Error,
        headers::{call_context, session_in_metadata},
        openai::{self, DecodedBody, Position, ResponsePiece, ResponseRequest},
    },
};

/// The memory of a history that is put before an input, and of its copies.
const COPIES: usize = 3;

type Decoded = DecodedBody<ResponseRequest>;

/// Where the response of a request is kept.
struct Memory {
    engine: Arc<Engine>,
    session: String,
}

impl Handler {
    /// Answers a request for a response.
    pub(super) async fn respond(
        self: Arc<Self>,
        request: Request<RequestBody>,
    ) -> Result<Response, Error> {
        let (body, call, mut context) = self.read(request).await?;
        let mut request: Decoded = self.decode(body.clone(), None, &mut context).await?;
        context.set_session_of_request(session_in_metadata(&request.request.request));
        if request.request.previous.is_some() || request.request.has_references {
            request = self.continued(request, body, &mut context, call.charge()).await?;
        }
        let session = context.session_name().to_owned();
        let memory = Memory { engine: self.engine.clone(), session };
        if request.request.is_streamed {
            let pieces =
                pipeline::stream::<ResponseRequest, _, _>(&self.engine, request, context).await?;
            return Ok(events(call, encoded(pieces, memory)));
        }
        let answer = pipeline::converse::<ResponseRequest>(&self.engine, request, context).await?;
        let size = answer.size();
        let encode = move || {
            let body = answer.to_json();
            memory.keep(answer.kept(&body));
            Ok(body)
        };
        let body = pipeline::encode(size, encode).await?;
        call.charge().set(body.len())?;
        Ok(json(body))
    }

    /// Puts the history of an earlier response before the input of a request, and items in place of the
    /// references to them.
    async fn continued(
        &self,
        request: Decoded,
        body: Bytes,
        context: &mut CallContext,
        charge: &Arc<Charge>,
    ) -> Result<Decoded, Error> {
        match self.try_continue(&request.request, body, context, charge).await {
            Ok(body) => {
                let mut continued: Decoded = self.decode(body, None, context).await?;
                continued.request.answer_as(&request.request);
                Ok(continued)
            }
            Err(error) => Err(self.reject(error, request.sent, context)),
        }
    }

    /// Returns the body of a request with the whole history.
    async fn try_continue(
        &self,
        request: &ResponseRequest,
        body: Bytes,
        context: &CallContext,
        charge: &Arc<Charge>,
    ) -> Result<Bytes, Error> {
        let (engine, session) = (self.engine.clone(), context.session_name().to_owned());
        let find = |id: &str| {
            let kept = engine.responses.get(&session, id);
            kept.ok_or_else(|| Error::PreviousResponseNotFound(id.to_owned()))
        };
        let kept = request.previous.as_deref().map(find).transpose()?;
        let kept_size = kept.as_ref().map_or(0, |kept| kept.items.len());
        charge.grow(kept_size * COPIES).await?;
        let size = body.len();
        let charge = charge.clone();
        let continued = move || {
            let item = |id: &str| {
                let item = engine.responses.item(&session, id);
                let item = item.ok_or_else(|| Error::ItemNotFound(id.to_owned()))?;
                charge.grow_now(item.len() * COPIES)?;
                Ok(item)
            };
            ResponseRequest::continued(&body, kept.as_deref(), item)
        };
        pipeline::encode(size + kept_size, continued).await
    }

    /// Returns a response that is kept.
    pub(super) async fn kept_response(
        &self,
        id: String,
        request: &Request<RequestBody>,
    ) -> Result<Response, Error> {
        let charge = request.body().call().charge();
        let context = call_context(Surface::OpenAi, request.headers(), charge);
        match self.engine.responses.get(context.session_name(), &id) {
            Some(kept) => {
                charge.grow(kept.body.len()).await?;
                Ok(json(kept.body.clone()))
            }
            None => Err(Error::ResponseNotFound(id)),
        }
    }

    /// Removes a response that is kept.
    pub(super) fn remove_response(
        &self,
        id: String,
        request: &Request<RequestBody>,
    ) -> Result<Response, Error> {
        let charge = request.body().call().charge();
        let context = call_context(Surface::OpenAi, request.headers(), charge);
        if self.engine.responses.remove(context.session_name(), &id) {
            return Ok(json(openai::removed_response(&id)));
        }
        Err(Error::ResponseNotFound(id))
    }
}

impl Memory {
    fn keep(&self, response: Option<openai::KeptResponse>) {
        if let Some(response) = response {
            self.engine.responses.add(&self.session, response);
        }
    }
}

/// Encodes the pieces of a response as events, and keeps the response when it is complete.
fn encoded(
    pieces: impl Stream<Item = Result<ResponsePiece, chat::Error>>,
    memory: Memory,
) -> impl Stream<Item = Result<String, Delivery>> {
    let mut position = None;
    pieces.flat_map(move |piece| match piece {
        Ok(piece) => {
            memory.keep(piece.kept());
            position = Some(piece.position());
            stream::iter(piece.encode().map(Ok)).left_stream()
        }
        Err(error) => stream::iter(failure(position.as_ref(), &error.into())).right_stream(),
    })
}

/// Returns the events for an error, with which a stream ends.
fn failure(position: Option<&Position>, error: &Error) -> Vec<Result<String, Delivery>> {
    match position {
        _ if error.delivery().is_early() => vec![Err(error.delivery())],
        Some(position) => position.failed(error).map(Ok).into(),
        None => Vec::new(),
    }
}
