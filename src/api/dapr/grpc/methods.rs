//! The methods of `dapr.proto.runtime.v1.Dapr` by name.

use futures_util::{FutureExt, future::BoxFuture};
use http::{Request, Response};
use prost::Message;
use tonic::{
    Status,
    body::Body,
    server::{Grpc, ServerStreamingService, UnaryService},
};

use super::{
    call_body::CallBody,
    runtime::{Answer, Call, Streamed},
};
use crate::wire::{codec::ServerCodec, error::Error, proto, undecoded::Protobuf};

/// Answers a call of a method.
pub(super) fn answer(
    call: Call,
    method: &str,
    request: Request<CallBody>,
) -> BoxFuture<'static, Response<Body>> {
    match method {
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
        _ => async { Status::from(Error::NotServed).into_http() }.boxed(),
    }
}

/// A method in the form that tonic takes.
struct Method<F>(Call, F);

fn unary<M, T, F, R>(
    request: Request<CallBody>,
    call: Call,
    method: F,
) -> BoxFuture<'static, Response<Body>>
where
    M: Send + Sync + 'static,
    T: Message + 'static,
    F: Fn(Call, tonic::Request<Protobuf<M>>) -> R + Send + 'static,
    R: Future<Output = Answer<T>> + Send + 'static,
{
    let limit = call.max_body_size();
    let grpc = Grpc::new(ServerCodec::<T, M>::default()).max_decoding_message_size(limit);
    async move { { grpc }.unary(Method(call, method), request).await }.boxed()
}

fn stream<M, T, F, R>(
    request: Request<CallBody>,
    call: Call,
    method: F,
) -> BoxFuture<'static, Response<Body>>
where
    M: Send + Sync + 'static,
    T: Message + 'static,
    F: Fn(Call, tonic::Request<Protobuf<M>>) -> R + Send + 'static,
    R: Future<Output = Answer<Streamed<T>>> + Send + 'static,
{
    let limit = call.max_body_size();
    let grpc = Grpc::new(ServerCodec::<T, M>::default()).max_decoding_message_size(limit);
    async move { { grpc }.server_streaming(Method(call, method), request).await }.boxed()
}

impl<M, T, F, R> UnaryService<Protobuf<M>> for Method<F>
where
    F: Fn(Call, tonic::Request<Protobuf<M>>) -> R,
    R: Future<Output = Answer<T>>,
{
    type Response = T;
    type Future = R;

    fn call(&mut self, request: tonic::Request<Protobuf<M>>) -> R {
        self.1(self.0.clone(), request)
    }
}

impl<M, T, F, R> ServerStreamingService<Protobuf<M>> for Method<F>
where
    F: Fn(Call, tonic::Request<Protobuf<M>>) -> R,
    R: Future<Output = Answer<Streamed<T>>>,
{
    type Response = T;
    type ResponseStream = Streamed<T>;
    type Future = R;

    fn call(&mut self, request: tonic::Request<Protobuf<M>>) -> R {
        self.1(self.0.clone(), request)
    }
}
