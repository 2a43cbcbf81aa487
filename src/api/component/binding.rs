//! The methods of `dapr.proto.components.v1.OutputBinding`, with which applications converse through
//! an unmodified daprd.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::Request;
use serde_json::json;
use tonic::Response;

use super::pluggable::ComponentCall;
use crate::{
    api::{
        grpc::{
            call_body::CallBody,
            method::{Answer, GrpcCall, Responding, not_served, unary},
        },
        pipeline::{self, FindComponent},
    },
    provider::call::Surface,
    wire::{
        component,
        components::{
            InvokeRequest, InvokeResponse, ListOperationsRequest, ListOperationsResponse,
            OutputBindingInitRequest, OutputBindingInitResponse,
        },
        error::Error,
        headers::call_context,
        json,
        proto::ConversationRequestAlpha2,
        undecoded::{Json, Protobuf},
    },
};

/// Answers a conversation. The data is a `ConversationRequestAlpha2` as proto JSON.
const CONVERSE: &str = "converse";
/// The property of all bindings that tells daprd which way they go.
const DIRECTION: &str = "direction";
/// Describes the instance.
const GET: &str = "get";

type Received<M> = tonic::Request<Protobuf<M>>;

/// Answers a call of a method.
pub(super) fn answer(call: ComponentCall, method: &str, request: Request<CallBody>) -> Responding {
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
