//! Embeddings. They are not conversations: no component makes them, and nothing records them.

use std::sync::Arc;

use axum::response::Response;
use http::Request;

use super::handler::Handler;
use crate::{
    api::{http::response::json, pipeline},
    net::RequestBody,
    wire::{
        error::Error,
        openai::{self, EmbeddingRequest},
    },
};

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
        let component = self.component(deployment.as_deref().unwrap_or(request.model()))?;
        request.set_component(component);
        let size = request.answer_size();
        call.charge().grow(size).await?;
        let (_cancel, cancellation) = (context.cancel_on_drop(), context.cancellation());
        let body = pipeline::encode(size, move || request.answer(&cancellation)).await?;
        call.charge().set(body.len())?;
        Ok(json(body))
    }
}
