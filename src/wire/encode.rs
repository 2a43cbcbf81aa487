//! A [`Response`] into Dapr's messages.

use std::collections::BTreeMap;

use prost_types::Any;

use super::proto::{
    self, conversation_stream_response, conversation_stream_response_alpha2,
    conversation_tool_calls::ToolTypes,
};
use crate::chat::{Parameter, Request, Response, ToolCall, Usage};

/// What of a request comes back in its answer.
#[derive(Debug, Clone, Default)]
pub struct Returned {
    context_id: Option<String>,
    parameters: BTreeMap<String, Any>,
}

impl Returned {
    /// Alpha2 returns the context id, unless it is empty.
    pub fn alpha2(request: &Request) -> Self {
        let context_id = request.context_id.clone().filter(|id| !id.is_empty());
        Self { context_id, parameters: BTreeMap::new() }
    }

    /// Alpha1 returns the parameters, too.
    pub fn alpha1(request: &Request) -> Self {
        let any = |parameter: &Parameter| Any {
            type_url: parameter.type_url.clone(),
            value: parameter.value.clone(),
        };
        let parameters =
            request.parameters.iter().map(|(name, parameter)| (name.clone(), any(parameter)));
        Self { parameters: parameters.collect(), ..Self::alpha2(request) }
    }
}

/// The answer to ConverseAlpha2.
pub fn alpha2(response: Response, returned: Returned) -> proto::ConversationResponseAlpha2 {
    proto::ConversationResponseAlpha2 {
        context_id: returned.context_id,
        outputs: vec![alpha2_output(response)],
    }
}

fn alpha2_output(response: Response) -> proto::ConversationResultAlpha2 {
    let message = proto::ConversationResultMessage {
        content: response.content,
        tool_calls: response.tool_calls.into_iter().map(tool_call).collect(),
    };
    let choice = proto::ConversationResultChoices {
        finish_reason: response.finish_reason.as_str().to_owned(),
        index: 0,
        message: Some(message),
    };
    proto::ConversationResultAlpha2 {
        choices: vec![choice],
        model: response.model,
        usage: response.usage.map(alpha2_usage),
    }
}

fn tool_call(call: ToolCall) -> proto::ConversationToolCalls {
    let function =
        proto::ConversationToolCallsOfFunction { name: call.name, arguments: call.arguments };
    proto::ConversationToolCalls {
        id: call.id.filter(|id| !id.is_empty()),
        tool_types: Some(ToolTypes::Function(function)),
    }
}

/// What an answer would have cost.
pub(crate) fn alpha2_usage(usage: Usage) -> proto::ConversationResultAlpha2CompletionUsage {
    proto::ConversationResultAlpha2CompletionUsage {
        completion_tokens: usage.completion_tokens,
        prompt_tokens: usage.prompt_tokens,
        total_tokens: usage.total_tokens(),
        completion_tokens_details: (usage.reasoning_tokens > 0).then(|| {
            proto::ConversationResultAlpha2CompletionUsageCompletionTokensDetails {
                reasoning_tokens: usage.reasoning_tokens,
                ..Default::default()
            }
        }),
        ..Default::default()
    }
}

/// The answer to ConverseAlpha1; tool calls are lost, as in daprd.
pub fn alpha1(response: Response, returned: Returned) -> proto::ConversationResponse {
    proto::ConversationResponse {
        context_id: returned.context_id,
        outputs: vec![proto::ConversationResult {
            result: response.content,
            parameters: returned.parameters,
        }],
    }
}

/// A piece of a ConverseStreamAlpha2 answer.
pub fn alpha2_chunk(content: String) -> proto::ConversationStreamResponseAlpha2 {
    use conversation_stream_response_alpha2::Message;
    let chunk = Message::Chunk(proto::ConversationStreamChunk { content });
    proto::ConversationStreamResponseAlpha2 { message: Some(chunk) }
}

/// The end of a ConverseStreamAlpha2 answer.
pub fn alpha2_complete(
    response: Response,
    returned: Returned,
) -> proto::ConversationStreamResponseAlpha2 {
    use conversation_stream_response_alpha2::Message;
    let answer = alpha2(response, returned);
    let complete = proto::ConversationStreamCompleteAlpha2 {
        context_id: answer.context_id,
        outputs: answer.outputs,
    };
    proto::ConversationStreamResponseAlpha2 { message: Some(Message::Complete(complete)) }
}

/// A piece of a ConverseStreamAlpha1 answer.
pub fn alpha1_chunk(content: String) -> proto::ConversationStreamResponse {
    use conversation_stream_response::Message;
    let chunk = Message::Chunk(proto::ConversationStreamChunk { content });
    proto::ConversationStreamResponse { message: Some(chunk) }
}

/// The end of a ConverseStreamAlpha1 answer.
pub fn alpha1_complete(
    response: Response,
    returned: Returned,
) -> proto::ConversationStreamResponse {
    use conversation_stream_response::Message;
    let usage = response.usage.map(|usage| proto::ConversationStreamUsage {
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        total_tokens: usage.total_tokens(),
    });
    let answer = alpha1(response, returned);
    let complete = proto::ConversationStreamComplete {
        context_id: answer.context_id,
        usage,
        outputs: answer.outputs,
    };
    proto::ConversationStreamResponse { message: Some(Message::Complete(complete)) }
}
