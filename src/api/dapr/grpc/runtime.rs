//! `dapr.proto.runtime.v1.Dapr`.

use std::sync::Arc;

use futures_util::{Stream, StreamExt, stream::BoxStream};
use prost::Message;
use tonic::{Request, Response, Status};

use crate::{
    api::{
        pipeline,
        sidecar::{RUNTIME_VERSION, Sidecar},
    },
    chat,
    wire::{
        error::Error,
        proto::{self, actor_runtime::ActorRuntimeStatus, dapr_server::Dapr},
    },
};

/// The service of one sidecar.
#[derive(Debug)]
pub(super) struct Runtime {
    sidecar: Arc<Sidecar>,
}

type Answer<T> = Result<Response<T>, Status>;
type Streamed<T> = BoxStream<'static, Result<T, Status>>;

impl Runtime {
    pub(super) fn new(sidecar: Arc<Sidecar>) -> Self {
        Self { sidecar }
    }

    fn send<T: Message>(&self, answer: T) -> Answer<T> {
        within(self.sidecar.max_body_size, &answer)?;
        Ok(Response::new(answer))
    }

    fn stream<T: Message + 'static>(
        &self,
        messages: impl Stream<Item = Result<T, chat::Error>> + Send + 'static,
    ) -> Answer<Streamed<T>> {
        let limit = self.sidecar.max_body_size;
        let messages = messages.map(move |message| {
            let message = message.map_err(Error::from)?;
            within(limit, &message)?;
            Ok(message)
        });
        Ok(Response::new(messages.boxed()))
    }
}

/// Refuses a message that the client would refuse.
fn within(limit: usize, message: &impl Message) -> Result<(), Error> {
    let size = message.encoded_len();
    if size > limit { Err(Error::ResponseTooLarge { size, limit }) } else { Ok(()) }
}

#[tonic::async_trait]
impl Dapr for Runtime {
    async fn converse_alpha1(
        &self,
        request: Request<proto::ConversationRequest>,
    ) -> Answer<proto::ConversationResponse> {
        self.send(pipeline::alpha1(&self.sidecar, request.into_inner()).await?)
    }

    async fn converse_alpha2(
        &self,
        request: Request<proto::ConversationRequestAlpha2>,
    ) -> Answer<proto::ConversationResponseAlpha2> {
        self.send(pipeline::alpha2(&self.sidecar, request.into_inner()).await?)
    }

    type ConverseStreamAlpha1Stream = Streamed<proto::ConversationStreamResponse>;

    async fn converse_stream_alpha1(
        &self,
        request: Request<proto::ConversationRequest>,
    ) -> Answer<Self::ConverseStreamAlpha1Stream> {
        self.stream(pipeline::stream_alpha1(&self.sidecar, request.into_inner()).await?)
    }

    type ConverseStreamAlpha2Stream = Streamed<proto::ConversationStreamResponseAlpha2>;

    async fn converse_stream_alpha2(
        &self,
        request: Request<proto::ConversationRequestAlpha2>,
    ) -> Answer<Self::ConverseStreamAlpha2Stream> {
        self.stream(pipeline::stream_alpha2(&self.sidecar, request.into_inner()).await?)
    }

    async fn get_metadata(
        &self,
        _: Request<proto::GetMetadataRequest>,
    ) -> Answer<proto::GetMetadataResponse> {
        Ok(Response::new(metadata(&self.sidecar)))
    }

    async fn set_metadata(&self, request: Request<proto::SetMetadataRequest>) -> Answer<()> {
        let label = request.into_inner();
        self.sidecar.labels.set(label.key, label.value)?;
        Ok(Response::new(()))
    }

    async fn shutdown(&self, _: Request<proto::ShutdownRequest>) -> Answer<()> {
        self.sidecar.drain.start();
        Ok(Response::new(()))
    }
}

fn metadata(sidecar: &Sidecar) -> proto::GetMetadataResponse {
    let components = sidecar.components.all();
    let registered = components.iter().map(|component| proto::RegisteredComponents {
        name: component.name.clone(),
        r#type: component.kind.clone(),
        version: component.version.clone(),
        capabilities: Vec::new(),
    });
    proto::GetMetadataResponse {
        id: sidecar.app_id.clone(),
        registered_components: registered.collect(),
        extended_metadata: sidecar.extended_metadata(),
        app_connection_properties: Some(proto::AppConnectionProperties {
            protocol: "http".to_owned(),
            channel_address: "127.0.0.1".to_owned(),
            ..Default::default()
        }),
        runtime_version: RUNTIME_VERSION.to_owned(),
        actor_runtime: Some(proto::ActorRuntime {
            runtime_status: ActorRuntimeStatus::Disabled.into(),
            placement: "placement: disconnected".to_owned(),
            ..Default::default()
        }),
        workflows: Some(proto::MetadataWorkflows::default()),
        ..Default::default()
    }
}
