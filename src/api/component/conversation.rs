//! The methods of `dapr.proto.components.v1.Conversation`.

use futures_util::StreamExt;
use http::Request;
use tonic::Response;

use super::pluggable::ComponentCall;
use crate::{
    api::{
        grpc::{
            call_body::CallBody,
            method::{Answer, GrpcCall, Responding, Streamed, not_served, stream, unary},
        },
        pipeline,
    },
    provider::{CallContext, call::Surface},
    wire::{
        component::{self, InstanceRequest},
        components::{
            ConversationInitRequest, ConversationInitResponse, ConverseRequest, ConverseResponse,
            ConverseStreamResponse, FeaturesRequest, FeaturesResponse, PingRequest, PingResponse,
        },
        error::Error,
        headers::call_context,
        proto::ConversationRequestAlpha2,
        undecoded::Protobuf,
    },
};

/// The feature of a component that streams its answers.
const STREAM: &str = "stream";

type Received<M> = tonic::Request<Protobuf<M>>;

/// Answers a call of a method.
pub(super) fn answer(call: ComponentCall, method: &str, request: Request<CallBody>) -> Responding {
    match method {
        "Init" => unary(request, call, ComponentCall::initialize_conversation),
        "Features" => unary(request, call, ComponentCall::features),
        "Ping" => unary(request, call, ComponentCall::ping),
        "Converse" => unary(request, call, ComponentCall::converse),
        "ConverseStream" => stream(request, call, ComponentCall::converse_stream),
        _ => not_served(Error::NotServed),
    }
}

impl ComponentCall {
    async fn initialize_conversation(
        self,
        request: Received<ConversationInitRequest>,
    ) -> Answer<ConversationInitResponse> {
        let name = component::instance(request.metadata().as_ref())?;
        let settings = request.into_inner().decode()?.metadata.unwrap_or_default();
        self.component.initialize(name, settings.properties).await?;
        Ok(Response::new(ConversationInitResponse {}))
    }

    async fn features(self, _: Received<FeaturesRequest>) -> Answer<FeaturesResponse> {
        Ok(Response::new(FeaturesResponse { features: vec![STREAM.to_owned()] }))
    }

    pub(super) async fn ping(self, _: Received<PingRequest>) -> Answer<PingResponse> {
        Ok(Response::new(PingResponse {}))
    }

    async fn converse(self, request: Received<ConverseRequest>) -> Answer<ConverseResponse> {
        let (request, context) = self.open(request)?;
        let answer =
            pipeline::converse::<ConversationRequestAlpha2>(&self.component, request, context);
        let response = component::response(answer.await.map_err(|error| self.fail(error))?);
        self.answer(response)
    }

    async fn converse_stream(
        self,
        request: Received<ConverseRequest>,
    ) -> Answer<Streamed<ConverseStreamResponse>> {
        let (request, context) = self.open(request)?;
        let messages =
            pipeline::stream::<ConversationRequestAlpha2, _, _>(&self.component, request, context);
        let messages = messages
            .await
            .map_err(|error| self.fail(error))?
            .map(|message| message.map(component::stream_response));
        self.stream_answer(messages)
    }

    fn open(
        &self,
        request: Received<ConverseRequest>,
    ) -> Result<(InstanceRequest, CallContext), Error> {
        let headers = request.metadata().as_ref();
        let instance = component::instance(headers)?;
        let context = call_context(Surface::Component, headers, self.transport.charge());
        Ok((InstanceRequest { instance, message: request.into_inner() }, context))
    }
}
