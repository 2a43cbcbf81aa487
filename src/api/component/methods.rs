//! The methods of `dapr.proto.components.v1.Conversation`, and those of `OutputBinding`, with which
//! applications converse through an unmodified daprd.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures_util::StreamExt;
use http::Request;
use serde_json::json;
use tonic::Response;

use super::pluggable::ComponentCall;
use crate::{
    api::{
        grpc::{
            call_body::CallBody,
            method::{Answer, GrpcCall, Responding, Streamed, not_served, stream, unary},
        },
        pipeline::{self, FindComponent},
    },
    provider::{CallContext, call::Surface},
    wire::{
        component::{self, InstanceRequest},
        components::{
            ConversationInitRequest, ConversationInitResponse, ConverseRequest, ConverseResponse,
            ConverseStreamResponse, FeaturesRequest, FeaturesResponse, InvokeRequest,
            InvokeResponse, ListOperationsRequest, ListOperationsResponse,
            OutputBindingInitRequest, OutputBindingInitResponse, PingRequest, PingResponse,
        },
        error::Error,
        headers::call_context,
        json,
        proto::ConversationRequestAlpha2,
        undecoded::{Json, Protobuf},
    },
};

/// The feature of a component that streams its answers.
const STREAM: &str = "stream";

type Received<M> = tonic::Request<Protobuf<M>>;

/// Answers a call of the conversation component.
pub(super) fn conversation(
    call: ComponentCall,
    method: &str,
    request: Request<CallBody>,
) -> Responding {
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

    async fn ping(self, _: Received<PingRequest>) -> Answer<PingResponse> {
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

/// Answers a conversation. The data is a `ConversationRequestAlpha2` as proto JSON.
const CONVERSE: &str = "converse";
/// The property of all bindings that tells daprd which way they go.
const DIRECTION: &str = "direction";
/// Describes the instance.
const GET: &str = "get";

/// Answers a call of the output binding.
pub(super) fn binding(call: ComponentCall, method: &str, request: Request<CallBody>) -> Responding {
    match method {
        "Init" => unary(request, call, ComponentCall::initialize_binding),
        "Invoke" => unary(request, call, ComponentCall::invoke),
        "ListOperations" => unary(request, call, ComponentCall::list_operations),
        "Ping" => unary(request, call, ComponentCall::ping),
        _ => not_served(Error::NotServed),
    }
}

impl ComponentCall {
    async fn initialize_binding(
        self,
        request: Received<OutputBindingInitRequest>,
    ) -> Answer<OutputBindingInitResponse> {
        let name = component::instance(request.metadata().as_ref())?;
        let settings = request.into_inner().decode()?.metadata.unwrap_or_default();
        let mut properties = settings.properties;
        properties.retain(|name, _| !name.eq_ignore_ascii_case(DIRECTION));
        self.component.initialize(name, properties).await?;
        Ok(Response::new(OutputBindingInitResponse {}))
    }

    async fn list_operations(
        self,
        _: Received<ListOperationsRequest>,
    ) -> Answer<ListOperationsResponse> {
        let operations = [CONVERSE, GET].map(str::to_owned).into();
        Ok(Response::new(ListOperationsResponse { operations }))
    }

    async fn invoke(self, request: Received<InvokeRequest>) -> Answer<InvokeResponse> {
        let headers = request.metadata().clone().into_headers();
        let instance = component::instance(&headers)?;
        let InvokeRequest { data, operation, .. } = request.into_inner().decode()?;
        let data = match operation.as_str() {
            CONVERSE => {
                let context = call_context(Surface::Component, &headers, self.transport.charge());
                let request = Json { component: instance, body: data };
                let answer = pipeline::converse::<ConversationRequestAlpha2>(
                    &self.component,
                    request,
                    context,
                );
                json::write_response(&answer.await.map_err(|error| self.fail(error))?)?
            }
            GET => {
                let component = self.component.find(&instance)?;
                json!({"name": component.name, "type": component.kind}).to_string()
            }
            _ => return Err(Error::UnknownOperation(operation).into()),
        };
        self.answer(InvokeResponse {
            data: Bytes::from(data),
            metadata: BTreeMap::new(),
            content_type: "application/json".to_owned(),
        })
    }
}
