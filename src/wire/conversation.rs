//! The two versions of Dapr's conversation API, each identified by the type of its request
//! messages.

use prost::{Message, Name};

use super::{
    decode,
    encode::{self, Passthrough},
    json, proto,
};
use crate::chat::{Error, Request, Response};

/// A request message of one version of the API. Also converts this version's messages to and from
/// [`chat`](crate::chat).
pub trait ConverseRequest: Message + Name + Default + json::FastRead + 'static {
    /// The answer to a unary call.
    type Response: Message + Name + json::FastWrite + 'static;
    /// One message of the answer to a streaming call.
    type StreamResponse: Message + Name + json::FastWrite + 'static;

    /// The name of the component.
    fn component(&mut self) -> &mut String;

    /// Checks and converts a request for a component that exists.
    ///
    /// # Errors
    ///
    /// Fails with daprd's message if daprd would reject the request.
    fn into_chat(self) -> Result<Request, Error>;

    /// Returns the parts of a request that its response repeats.
    fn passthrough(request: &Request) -> Passthrough;

    /// Converts the response to a unary call.
    fn response(response: Response, passthrough: Passthrough) -> Self::Response;

    /// Converts a piece of text from a streamed response.
    fn chunk(text: String) -> Self::StreamResponse;

    /// Converts the complete response that ends a stream.
    fn complete(response: Response, passthrough: Passthrough) -> Self::StreamResponse;
}

impl ConverseRequest for proto::ConversationRequest {
    type Response = proto::ConversationResponse;
    type StreamResponse = proto::ConversationStreamResponse;

    fn component(&mut self) -> &mut String {
        &mut self.name
    }

    fn into_chat(self) -> Result<Request, Error> {
        decode::alpha1(self)
    }

    fn passthrough(request: &Request) -> Passthrough {
        Passthrough::alpha1(request)
    }

    fn response(response: Response, passthrough: Passthrough) -> Self::Response {
        encode::alpha1(response, passthrough)
    }

    fn chunk(text: String) -> Self::StreamResponse {
        encode::alpha1_chunk(text)
    }

    fn complete(response: Response, passthrough: Passthrough) -> Self::StreamResponse {
        encode::alpha1_complete(response, passthrough)
    }
}

impl ConverseRequest for proto::ConversationRequestAlpha2 {
    type Response = proto::ConversationResponseAlpha2;
    type StreamResponse = proto::ConversationStreamResponseAlpha2;

    fn component(&mut self) -> &mut String {
        &mut self.name
    }

    fn into_chat(self) -> Result<Request, Error> {
        decode::alpha2(self)
    }

    fn passthrough(request: &Request) -> Passthrough {
        Passthrough::alpha2(request)
    }

    fn response(response: Response, passthrough: Passthrough) -> Self::Response {
        encode::alpha2(response, passthrough)
    }

    fn chunk(text: String) -> Self::StreamResponse {
        encode::alpha2_chunk(text)
    }

    fn complete(response: Response, passthrough: Passthrough) -> Self::StreamResponse {
        encode::alpha2_complete(response, passthrough)
    }
}
