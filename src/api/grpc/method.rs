//! Methods in the form that tonic takes.

use futures_util::{FutureExt, Stream, StreamExt, future::BoxFuture, stream::BoxStream};
use http::{Request, Response};
use prost::Message;
use tonic::{
    Status,
    body::Body,
    server::{Grpc, ServerStreamingService, UnaryService},
};

use super::call_body::CallBody;
use crate::{
    chat, net,
    wire::{codec::ServerCodec, error::Error, undecoded::Protobuf},
};

/// The result of a method.
pub(crate) type Answer<T> = Result<tonic::Response<T>, Status>;
/// The messages that a method streams.
pub(crate) type Streamed<T> = BoxStream<'static, Result<T, Status>>;
/// The future of a response.
pub(crate) type Responding = BoxFuture<'static, Response<Body>>;

/// A call of a service, with what its methods need.
pub(crate) trait GrpcCall: Clone + Send + 'static {
    /// Returns the maximum size in bytes of a message.
    fn max_body_size(&self) -> usize;

    /// Returns what the transport knows of the call.
    fn transport(&self) -> &net::TransportCall;

    /// Converts an error that the call fails with.
    fn status(error: Error) -> Status {
        error.into()
    }

    /// Fails with the error of a conversation, which may reach the client in another way than as a
    /// status.
    fn fail(&self, error: Error) -> Status {
        self.transport().deliver(error.delivery());
        Self::status(error)
    }

    /// Charges the call for the answer to a unary method. Fails if the client would reject it.
    fn answer<T: Message>(&self, answer: T) -> Answer<T> {
        let size = check_size(self.max_body_size(), &answer)?;
        // The message and its encoded form.
        self.transport().charge().set(2 * size).map_err(Error::from)?;
        Ok(tonic::Response::new(answer))
    }

    /// Returns the answer to a method that streams. It ends with an error at a message that the
    /// client would reject.
    fn stream_answer<T: Message + 'static>(
        &self,
        messages: impl Stream<Item = Result<T, chat::Error>> + Send + 'static,
    ) -> Answer<Streamed<T>> {
        let call = self.clone();
        let messages = messages.map(move |message| {
            let message = message.map_err(|error| call.fail(error.into()))?;
            check_size(call.max_body_size(), &message)?;
            Ok(message)
        });
        Ok(tonic::Response::new(messages.boxed()))
    }
}

/// Returns the size of a message. Rejects a message that the client would reject.
fn check_size(limit: usize, message: &impl Message) -> Result<usize, Error> {
    let size = message.encoded_len();
    if size > limit { Err(Error::ResponseTooLarge { size, limit }) } else { Ok(size) }
}

/// Answers a call of a unary method.
pub(crate) fn unary<C, M, T, F, R>(request: Request<CallBody>, call: C, method: F) -> Responding
where
    C: GrpcCall,
    M: Send + Sync + 'static,
    T: Message + 'static,
    F: Fn(C, tonic::Request<Protobuf<M>>) -> R + Send + 'static,
    R: Future<Output = Answer<T>> + Send + 'static,
{
    let limit = call.max_body_size();
    let grpc = Grpc::new(ServerCodec::<T, M>::default()).max_decoding_message_size(limit);
    async move { { grpc }.unary(Method(call, method), request).await }.boxed()
}

/// Answers a call of a method that streams its answer.
pub(crate) fn stream<C, M, T, F, R>(request: Request<CallBody>, call: C, method: F) -> Responding
where
    C: GrpcCall,
    M: Send + Sync + 'static,
    T: Message + 'static,
    F: Fn(C, tonic::Request<Protobuf<M>>) -> R + Send + 'static,
    R: Future<Output = Answer<Streamed<T>>> + Send + 'static,
{
    let limit = call.max_body_size();
    let grpc = Grpc::new(ServerCodec::<T, M>::default()).max_decoding_message_size(limit);
    async move { { grpc }.server_streaming(Method(call, method), request).await }.boxed()
}

/// Answers a call of a method that does not exist.
pub(crate) fn not_served(error: Error) -> Responding {
    async { Status::from(error).into_http() }.boxed()
}

struct Method<C, F>(C, F);

impl<C, M, T, F, R> UnaryService<Protobuf<M>> for Method<C, F>
where
    C: GrpcCall,
    F: Fn(C, tonic::Request<Protobuf<M>>) -> R,
    R: Future<Output = Answer<T>>,
{
    type Response = T;
    type Future = R;

    fn call(&mut self, request: tonic::Request<Protobuf<M>>) -> R {
        self.1(self.0.clone(), request)
    }
}

impl<C, M, T, F, R> ServerStreamingService<Protobuf<M>> for Method<C, F>
where
    C: GrpcCall,
    F: Fn(C, tonic::Request<Protobuf<M>>) -> R,
    R: Future<Output = Answer<Streamed<T>>>,
{
    type Response = T;
    type ResponseStream = Streamed<T>;
    type Future = R;

    fn call(&mut self, request: tonic::Request<Protobuf<M>>) -> R {
        self.1(self.0.clone(), request)
    }
}
