//! The methods of `dapr.proto.runtime.v1.Dapr`.

use std::sync::Arc;

use futures_util::{StreamExt, stream::BoxStream};
use prost::Message;
use tonic::{Request, Response, Status};

use crate::{
    api::{dapr::metadata::metadata, guard::Guard, pipeline},
    base::drain::Drain,
    engine::Engine,
    wire::{
        conversation::ConverseRequest,
        error::Error,
        headers::call_context,
        proto::{self, dapr_server::Dapr},
    },
};

/// The Dapr runtime service of one sidecar.
#[derive(Debug)]
pub(super) struct Runtime {
    pub(super) engine: Arc<Engine>,
    pub(super) guard: Arc<Guard>,
    pub(super) drain: Drain,
}

type Answer<T> = Result<Response<T>, Status>;
type Streamed<T> = BoxStream<'static, Result<T, Status>>;

impl Runtime {
    // Not an `async fn`: its future would hold the whole request.
    fn converse<M: ConverseRequest>(
        &self,
        request: Request<M>,
    ) -> impl Future<Output = Answer<M::Response>> + Send {
        let context = call_context(request.metadata().as_ref());
        let message = request.into_inner();
        async {
            let answer = pipeline::converse(&self.engine, message, context).await?;
            check_size(self.guard.max_body_size, &answer)?;
            Ok(Response::new(answer))
        }
    }

    async fn stream<M: ConverseRequest>(
        &self,
        request: Request<M>,
    ) -> Answer<Streamed<M::StreamResponse>> {
        let context = call_context(request.metadata().as_ref());
        let messages = pipeline::stream(&self.engine, request.into_inner(), context).await?;
        let max_body_size = self.guard.max_body_size;
        let messages = messages.map(move |message| {
            let message = message.map_err(Error::from)?;
            check_size(max_body_size, &message)?;
            Ok(message)
        });
        Ok(Response::new(messages.boxed()))
    }
}

/// Rejects a message that is larger than the client accepts.
fn check_size(limit: usize, message: &impl Message) -> Result<(), Error> {
    let size = message.encoded_len();
    if size > limit { Err(Error::ResponseTooLarge { size, limit }) } else { Ok(()) }
}

#[tonic::async_trait]
impl Dapr for Runtime {
    async fn converse_alpha1(
        &self,
        request: Request<proto::ConversationRequest>,
    ) -> Answer<proto::ConversationResponse> {
        self.converse(request).await
    }

    async fn converse_alpha2(
        &self,
        request: Request<proto::ConversationRequestAlpha2>,
    ) -> Answer<proto::ConversationResponseAlpha2> {
        self.converse(request).await
    }

    type ConverseStreamAlpha1Stream = Streamed<proto::ConversationStreamResponse>;

    async fn converse_stream_alpha1(
        &self,
        request: Request<proto::ConversationRequest>,
    ) -> Answer<Self::ConverseStreamAlpha1Stream> {
        self.stream(request).await
    }

    type ConverseStreamAlpha2Stream = Streamed<proto::ConversationStreamResponseAlpha2>;

    async fn converse_stream_alpha2(
        &self,
        request: Request<proto::ConversationRequestAlpha2>,
    ) -> Answer<Self::ConverseStreamAlpha2Stream> {
        self.stream(request).await
    }

    async fn get_metadata(
        &self,
        _: Request<proto::GetMetadataRequest>,
    ) -> Answer<proto::GetMetadataResponse> {
        Ok(Response::new(metadata(&self.engine)))
    }

    async fn set_metadata(&self, request: Request<proto::SetMetadataRequest>) -> Answer<()> {
        let label = request.into_inner();
        self.engine.labels.set(label.key, label.value)?;
        Ok(Response::new(()))
    }

    async fn shutdown(&self, _: Request<proto::ShutdownRequest>) -> Answer<()> {
        self.drain.start();
        Ok(Response::new(()))
    }
}
