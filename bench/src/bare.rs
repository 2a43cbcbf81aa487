//! A minimal implementation of Dapr's service. It decodes every request and answers with the last
//! text in it. All its streams are the same.

use std::iter;

use futures_util::{StreamExt, stream, stream::BoxStream};
use tonic::{Request, Response, Status};

use crate::cases::{BARE_CHUNK, CHUNKS, bare_text};
use crate::proto::{
    ConversationRequest, ConversationRequestAlpha2, ConversationResponse,
    ConversationResponseAlpha2, ConversationResultAlpha2, ConversationResultAlpha2CompletionUsage,
    ConversationResultChoices, ConversationResultMessage, ConversationStreamChunk,
    ConversationStreamCompleteAlpha2, ConversationStreamResponse, ConversationStreamResponseAlpha2,
    GetMetadataRequest, GetMetadataResponse, SetMetadataRequest, ShutdownRequest,
    conversation_message::MessageTypes, conversation_stream_response_alpha2::Message,
    dapr_server::Dapr,
};

/// The service.
#[derive(Debug, Clone, Copy)]
pub struct Bare;

type Answer<T> = Result<Response<T>, Status>;

/// Returns the outputs of an answer, with the same fields as mynah's.
fn outputs(content: String) -> Vec<ConversationResultAlpha2> {
    let message = ConversationResultMessage { content, tool_calls: Vec::new() };
    let choice = ConversationResultChoices {
        finish_reason: "stop".into(),
        index: 0,
        message: Some(message),
    };
    let usage = ConversationResultAlpha2CompletionUsage {
        completion_tokens: 3,
        prompt_tokens: 3,
        total_tokens: 6,
        ..Default::default()
    };
    vec![ConversationResultAlpha2 {
        choices: vec![choice],
        model: Some("echo".into()),
        usage: Some(usage),
    }]
}

/// Takes the text out of the last message, if it is a user message.
fn last_text(request: ConversationRequestAlpha2) -> Option<String> {
    let message = request.inputs.into_iter().next_back()?.messages.pop()?;
    match message.message_types? {
        MessageTypes::OfUser(user) => Some(user.content.into_iter().next_back()?.text),
        _ => None,
    }
}

fn chunk() -> Message {
    Message::Chunk(ConversationStreamChunk { content: BARE_CHUNK.into() })
}

fn complete() -> Message {
    Message::Complete(ConversationStreamCompleteAlpha2 {
        context_id: None,
        outputs: outputs(bare_text()),
    })
}

#[tonic::async_trait]
impl Dapr for Bare {
    async fn converse_alpha2(
        &self,
        request: Request<ConversationRequestAlpha2>,
    ) -> Answer<ConversationResponseAlpha2> {
        let outputs = outputs(last_text(request.into_inner()).unwrap_or_default());
        Ok(Response::new(ConversationResponseAlpha2 { context_id: None, outputs }))
    }

    type ConverseStreamAlpha2Stream =
        BoxStream<'static, Result<ConversationStreamResponseAlpha2, Status>>;

    async fn converse_stream_alpha2(
        &self,
        _: Request<ConversationRequestAlpha2>,
    ) -> Answer<Self::ConverseStreamAlpha2Stream> {
        let messages = iter::repeat_with(chunk).take(CHUNKS).chain(iter::once_with(complete));
        let message = |message| Ok(ConversationStreamResponseAlpha2 { message: Some(message) });
        Ok(Response::new(stream::iter(messages.map(message)).boxed()))
    }

    type ConverseStreamAlpha1Stream =
        BoxStream<'static, Result<ConversationStreamResponse, Status>>;

    async fn converse_stream_alpha1(
        &self,
        _: Request<ConversationRequest>,
    ) -> Answer<Self::ConverseStreamAlpha1Stream> {
        Err(not_measured())
    }

    async fn converse_alpha1(
        &self,
        _: Request<ConversationRequest>,
    ) -> Answer<ConversationResponse> {
        Err(not_measured())
    }

    async fn get_metadata(&self, _: Request<GetMetadataRequest>) -> Answer<GetMetadataResponse> {
        Err(not_measured())
    }

    async fn set_metadata(&self, _: Request<SetMetadataRequest>) -> Answer<()> {
        Err(not_measured())
    }

    async fn shutdown(&self, _: Request<ShutdownRequest>) -> Answer<()> {
        Err(not_measured())
    }
}

fn not_measured() -> Status {
    Status::unimplemented("a bare server implements Alpha2 only")
}
