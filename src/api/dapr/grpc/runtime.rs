//! The methods of `dapr.proto.runtime.v1.Dapr`.

use std::sync::Arc;

use tonic::{Request, Response};

use crate::{
    api::{
        dapr::metadata::metadata,
        grpc::method::{Answer, GrpcCall, Streamed},
        guard::Guard,
        pipeline,
    },
    base::drain::Drain,
    engine::Engine,
    net,
    provider::{CallContext, call::Surface},
    wire::{conversation::DaprRequest, headers::call_context, proto, undecoded::Protobuf},
};

/// The Dapr runtime service of one sidecar.
#[derive(Debug)]
pub(super) struct Runtime {
    pub(super) engine: Arc<Engine>,
    pub(super) guard: Arc<Guard>,
    pub(super) drain: Drain,
}

/// One call of the service.
#[derive(Debug, Clone)]
pub(super) struct RuntimeCall {
    pub(super) runtime: Arc<Runtime>,
    pub(super) transport: net::TransportCall,
}

impl GrpcCall for RuntimeCall {
    fn max_body_size(&self) -> usize {
        self.runtime.guard.max_body_size
    }

    fn transport(&self) -> &net::TransportCall {
        &self.transport
    }
}

impl RuntimeCall {
    pub(super) async fn converse<M: DaprRequest>(
        self,
        request: Request<Protobuf<M>>,
    ) -> Answer<M::Response> {
        let context = self.context(&request);
        let engine = &self.runtime.engine;
        let answer = pipeline::converse(engine, request.into_inner(), context).await;
        self.answer(answer.map_err(|error| self.fail(error))?)
    }

    pub(super) async fn stream<M: DaprRequest>(
        self,
        request: Request<Protobuf<M>>,
    ) -> Answer<Streamed<M::StreamResponse>> {
        let context = self.context(&request);
        let engine = &self.runtime.engine;
        let messages = pipeline::stream(engine, request.into_inner(), context).await;
        self.stream_answer(messages.map_err(|error| self.fail(error))?)
    }

    fn context<M>(&self, request: &Request<Protobuf<M>>) -> CallContext {
        call_context(Surface::Grpc, request.metadata().as_ref(), self.transport.charge())
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
