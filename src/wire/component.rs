//! Converts between the messages of pluggable components and those of Dapr's runtime, which have the
//! same shapes.

use futures_util::future::Either;
use http::{HeaderMap, HeaderName};

use super::{
    components::{self, converse_stream_response},
    error::Error,
    proto::{
        self, ConversationInputAlpha2, ConversationRequestAlpha2, ConversationResponseAlpha2,
        ConversationStreamResponseAlpha2, conversation_stream_response_alpha2,
    },
    sent::{SentApi, SentRequest},
    undecoded::{Protobuf, Undecoded},
};

/// The header that names the instance of a component.
static INSTANCE: HeaderName = HeaderName::from_static("x-component-instance");

/// A request to an instance of a pluggable component.
#[derive(Debug)]
pub(crate) struct InstanceRequest {
    pub(crate) instance: String,
    pub(crate) message: Protobuf<components::ConverseRequest>,
}

/// Returns the name of the instance that a call is for.
pub(crate) fn instance(headers: &HeaderMap) -> Result<String, Error> {
    let name = headers.get(&INSTANCE).and_then(|value| value.to_str().ok());
    name.filter(|name| !name.is_empty()).map(str::to_owned).ok_or(Error::MissingInstance)
}

impl Undecoded<ConversationRequestAlpha2> for InstanceRequest {
    fn size(&self) -> usize {
        self.message.size()
    }

    fn decoded_size(&self) -> usize {
        self.message.decoded_size()
    }

    fn sent(&self) -> Option<SentRequest> {
        Some(SentRequest::protobuf(SentApi::Component, &self.message.bytes))
    }

    fn decode(self) -> Result<ConversationRequestAlpha2, Error> {
        Ok(request(self.instance, self.message.decode()?))
    }

    fn decode_briefly(self) -> Result<Either<ConversationRequestAlpha2, Self>, Error> {
        if self.message.is_brief() {
            self.decode().map(Either::Left)
        } else {
            Ok(Either::Right(self))
        }
    }
}

pub(super) fn request(
    name: String,
    source: components::ConverseRequest,
) -> ConversationRequestAlpha2 {
    ConversationRequestAlpha2 {
        name,
        inputs: vec![ConversationInputAlpha2 { messages: source.messages, scrub_pii: None }],
        tools: source.tools,
        tool_choice: source.tool_choice,
        temperature: source.temperature,
        response_format: source.response_format,
        max_tokens: source.max_tokens,
        prompt_cache_retention: source.prompt_cache_retention,
        metadata: source.metadata,
        ..ConversationRequestAlpha2::default()
    }
}

/// Converts a whole answer.
pub(crate) fn response(answer: ConversationResponseAlpha2) -> components::ConverseResponse {
    components::ConverseResponse { outputs: answer.outputs }
}

/// Converts a message of a streamed answer.
pub(crate) fn stream_response(
    piece: ConversationStreamResponseAlpha2,
) -> components::ConverseStreamResponse {
    use conversation_stream_response_alpha2::Message as Source;
    use converse_stream_response::Message;
    let message = piece.message.map(|message| match message {
        Source::Chunk(proto::ConversationStreamChunk { content }) => {
            Message::Chunk(components::ConverseStreamChunk { content })
        }
        Source::Complete(complete) => {
            Message::Complete(components::ConverseResponse { outputs: complete.outputs })
        }
    });
    components::ConverseStreamResponse { message }
}
