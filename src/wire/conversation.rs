//! The requests and answers of every API that serves conversations, and the two versions of Dapr's,
//! each identified by the type of its request messages.

use std::{collections::BTreeSet, mem};

use prost::{Message, Name};

use super::{
    decode,
    encode::{self, Passthrough},
    error::Error,
    json, proto,
};
use crate::chat::{Request, Response};

/// A request of one API. Also converts the API's answers from [`chat`](crate::chat).
pub trait ConverseRequest: Send + Sized + 'static {
    /// The answer to a unary call.
    type Response: 'static;
    /// One message of the answer to a streaming call.
    type StreamResponse: 'static;
    /// What the answer needs of the request.
    type Passthrough: Send + Unpin + 'static;

    /// Whether this is the first version of Dapr's API, which has no tools.
    const IS_ALPHA1: bool = false;

    /// Returns the name of the component.
    fn component(&self) -> &str;

    /// Checks and converts a request for a component that exists and owns the tools with these
    /// names.
    ///
    /// # Errors
    ///
    /// Fails if the API does not allow the request.
    fn into_chat(self, own_tools: &BTreeSet<String>)
    -> Result<(Request, Self::Passthrough), Error>;

    /// Converts the response to a unary call.
    fn response(response: Response, passthrough: Self::Passthrough) -> Self::Response;

    /// Converts a piece of reasoning from a streamed response. Returns `None` if the API has none.
    fn reasoning(_: String, _: &mut Self::Passthrough) -> Option<Self::StreamResponse> {
        None
    }

    /// Converts a piece of text from a streamed response.
    fn chunk(text: String, passthrough: &mut Self::Passthrough) -> Self::StreamResponse;

    /// Converts the complete response that ends a stream.
    fn complete(response: Response, passthrough: &mut Self::Passthrough) -> Self::StreamResponse;
}

/// A request message of one version of Dapr's conversation API.
pub trait DaprRequest:
    ConverseRequest<
        Response: Message + Name + json::FastWrite,
        StreamResponse: Message + Name + json::FastWrite,
    > + Message
    + Name
    + Default
    + json::FastRead
{
    /// Sets the name of the component.
    fn set_component(&mut self, name: String);

    /// Returns `true` if an input is empty, as in a body of the first version for the second one.
    fn has_empty_input(&self) -> bool {
        false
    }
}

impl DaprRequest for proto::ConversationRequest {
    fn set_component(&mut self, name: String) {
        self.name = name;
    }
}

impl ConverseRequest for proto::ConversationRequest {
    const IS_ALPHA1: bool = true;
    type Response = proto::ConversationResponse;
    type StreamResponse = proto::ConversationStreamResponse;
    type Passthrough = Passthrough;

    fn component(&self) -> &str {
        &self.name
    }

    fn into_chat(self, _: &BTreeSet<String>) -> Result<(Request, Passthrough), Error> {
        let request = decode::alpha1(self)?;
        let passthrough = Passthrough::alpha1(&request);
        Ok((request, passthrough))
    }

    fn response(response: Response, passthrough: Passthrough) -> Self::Response {
        encode::alpha1(response, passthrough)
    }

    fn chunk(text: String, _: &mut Passthrough) -> Self::StreamResponse {
        encode::alpha1_chunk(text)
    }

    fn complete(response: Response, passthrough: &mut Passthrough) -> Self::StreamResponse {
        encode::alpha1_complete(response, mem::take(passthrough))
    }
}

impl DaprRequest for proto::ConversationRequestAlpha2 {
    fn set_component(&mut self, name: String) {
        self.name = name;
    }

    fn has_empty_input(&self) -> bool {
        self.inputs.iter().any(|input| input.messages.is_empty())
    }
}

impl ConverseRequest for proto::ConversationRequestAlpha2 {
    type Response = proto::ConversationResponseAlpha2;
    type StreamResponse = proto::ConversationStreamResponseAlpha2;
    type Passthrough = Passthrough;

    fn component(&self) -> &str {
        &self.name
    }

    fn into_chat(self, own_tools: &BTreeSet<String>) -> Result<(Request, Passthrough), Error> {
        let request = decode::alpha2(self, own_tools)?;
        let passthrough = Passthrough::alpha2(&request);
        Ok((request, passthrough))
    }

    fn response(response: Response, passthrough: Passthrough) -> Self::Response {
        encode::alpha2(response, passthrough)
    }

    fn chunk(text: String, _: &mut Passthrough) -> Self::StreamResponse {
        encode::alpha2_chunk(text)
    }

    fn complete(response: Response, passthrough: &mut Passthrough) -> Self::StreamResponse {
        encode::alpha2_complete(response, mem::take(passthrough))
    }
}
