//! The methods of `dapr.proto.runtime.v1.Dapr`.

use std::sync::Arc;

use futures_util::{StreamExt, stream::BoxStream};
use prost::Message;
use tonic::{Request, Response, Status};

use crate::{
    api::{dapr::metadata::metadata, guard::Guard, pipeline},
    base::{drain::Drain, memory::Charge},
    engine::Engine,
    wire::{
        conversation::DaprRequest, error::Error, headers::call_context, proto, undecoded::Protobuf,
    },
};

/// The Dapr runtime service of one sidecar.
#[derive(Debug)]
pub(super) struct Runtime {
    pub(super) engine: Arc<Engine>,
    pub(super) guard: Arc<Guard>,
    pub(super) drain: Drain,
}

/// One call of the service, and the memory that it uses.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) runtime: Arc<Runtime>,
    pub(super) charge: Arc<Charge>,
}

pub(super) type Answer<T> = Result<Response<T>, Status>;
pub(super) type Streamed<T> = BoxStream<'static, Result<T, Status>>;

impl Call {
    pub(super) fn max_body_size(&self) -> usize {
        self.runtime.guard.max_body_size
    }

    pub(super) async fn converse<M: DaprRequest>(
        self,
        request: Request<Protobuf<M>>,
    ) -> Answer<M::Response> {
        let context = call_context(request.metadata().as_ref()).with_charge(self.charge.clone());
        let engine = &self.runtime.engine;
        let answer = pipeline::converse(engine, request.into_inner(), context).await?;
        let size = check_size(self.max_body_size(), &answer)?;
        // The message and its encoded form.
        self.charge.set(2 * size);
        self.charge.check().map_err(Error::from)?;
        Ok(Response::new(answer))
    }

    pub(super) async fn stream<M: DaprRequest>(
        self,
        request: Request<Protobuf<M>>,
    ) -> Answer<Streamed<M::StreamResponse>> {
        let context = call_context(request.metadata().as_ref()).with_charge(self.charge.clone());
        let engine = &self.runtime.engine;
        let messages = pipeline::stream(engine, request.into_inner(), context).await?;
        let max_body_size = self.max_body_size();
        let messages = messages.map(move |message: Result<M::StreamResponse, _>| {
            let message = message.map_err(Error::from)?;
            check_size(max_body_size, &message)?;
            Ok(message)
        });
        Ok(Response::new(messages.boxed()))
    }

    pub(super) async fn get_metadata(
        self,
        _: Request<Protobuf<proto::GetMetadataRequest>>,
    ) -> Answer<proto::GetMetadataResponse> {
        Ok(Response::new(metadata(&self.runtime.engine)))
    }

    pub(super) async fn set_metadata(
        self,
        request: Request<Protobuf<proto::SetMetadataRequest>>,
    ) -> Answer<()> {
        let label = request.into_inner().decode()?;
        self.runtime.engine.labels.set(label.key, label.value)?;
        Ok(Response::new(()))
    }

    pub(super) async fn shutdown(self, _: Request<Protobuf<proto::ShutdownRequest>>) -> Answer<()> {
        self.runtime.drain.start();
        Ok(Response::new(()))
    }
}

/// Returns the size of a message. Rejects a message that the client would reject.
fn check_size(limit: usize, message: &impl Message) -> Result<usize, Error> {
    let size = message.encoded_len();
    if size > limit { Err(Error::ResponseTooLarge { size, limit }) } else { Ok(size) }
}
