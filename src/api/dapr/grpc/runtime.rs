//! The methods of `dapr.proto.runtime.v1.Dapr`.

use std::sync::Arc;

use tonic::{Request, Response};

use crate::{
    api::{
        access::Guard,
        dapr::metadata::metadata,
        grpc::{
            call_body::CallBody,
            method::{Answer, GrpcCall, Responding, Streamed, not_served, stream, unary},
        },
        pipeline,
    },
    base::drain::Drain,
    engine::Engine,
    net,
    provider::{CallContext, call::Surface},
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
    /// Not an `async fn`, because its future would keep the metadata of the request.
    fn converse<M: DaprRequest>(
        self,
        request: Request<Protobuf<M>>,
    ) -> impl Future<Output = Answer<M::Response>> + Send {
        let (context, message) = (self.context(&request), request.into_inner());
        async move {
            let answer = pipeline::converse(&self.runtime.engine, message, context).await;
            self.answer(answer.map_err(|error| self.fail(error))?)
        }
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

    async fn get_metadata(
        self,
        _: Request<Protobuf<proto::GetMetadataRequest>>,
    ) -> Answer<proto::GetMetadataResponse> {
        Ok(Response::new(metadata(&self.runtime.engine)))
    }

    async fn set_metadata(
        self,
        request: Request<Protobuf<proto::SetMetadataRequest>>,
    ) -> Answer<()> {
        let label = request.into_inner().decode()?;
        self.runtime.engine.labels.set(label.key, label.value)?;
        Ok(Response::new(()))
    }

    async fn shutdown(self, _: Request<Protobuf<proto::ShutdownRequest>>) -> Answer<()> {
        self.runtime.drain.start();
        Ok(Response::new(()))
    }
}

/// The methods of the conversation API.
pub(super) const CONVERSATION: [&str; 4] =
    ["ConverseAlpha1", "ConverseAlpha2", "ConverseStreamAlpha1", "ConverseStreamAlpha2"];

/// What the paths of the methods start with.
pub(super) const PREFIX: &str = "/dapr.proto.runtime.v1.Dapr/";

/// Answers a call of a method.
pub(super) fn answer(call: RuntimeCall, request: http::Request<CallBody>) -> Responding {
    type Call = RuntimeCall;
    match request.uri().path().strip_prefix(PREFIX).unwrap_or_default() {
        "ConverseAlpha1" => unary(request, call, Call::converse::<proto::ConversationRequest>),
        "ConverseAlpha2" => {
            unary(request, call, Call::converse::<proto::ConversationRequestAlpha2>)
        }
        "ConverseStreamAlpha1" => stream(request, call, Call::stream::<proto::ConversationRequest>),
        "ConverseStreamAlpha2" => {
            stream(request, call, Call::stream::<proto::ConversationRequestAlpha2>)
        }
        "GetMetadata" => unary(request, call, Call::get_metadata),
        "SetMetadata" => unary(request, call, Call::set_metadata),
        "Shutdown" => unary(request, call, Call::shutdown),
        _ => not_served(Error::NotServed),
    }
}
