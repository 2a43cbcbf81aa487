//! Encodes [`Response`]s as Dapr's messages.

use std::{collections::BTreeMap, iter};

use prost_types::Any;

use super::{
    proto::{
        self, conversation_stream_response, conversation_stream_response_alpha2,
        conversation_tool_calls::ToolTypes,
    },
    structs,
};
use crate::chat::{Choice, MissingPart, Request, Response, ToolCall, Usage};

/// The parts of a request that its response repeats.
#[derive(Debug, Clone, Default)]
pub struct Passthrough {
    context_id: Option<String>,
    parameters: BTreeMap<String, Any>,
}

impl Passthrough {
    /// Returns what an Alpha2 response repeats: the context id, unless it is empty.
    pub fn alpha2(request: &Request) -> Self {
        let context_id = request.context_id.clone().filter(|id| !id.is_empty());
        Self { context_id, parameters: BTreeMap::new() }
    }

    /// Returns what an Alpha1 response repeats: the context id, unless it is empty, and the
    /// parameters.
    pub fn alpha1(request: &Request) -> Self {
        let parameters = structs::encode_parameters(&request.parameters);
        Self { parameters, ..Self::alpha2(request) }
    }
}

/// Encodes the response to a ConverseAlpha2 call.
pub fn alpha2(response: Response, passthrough: Passthrough) -> proto::ConversationResponseAlpha2 {
    let outputs = match response.missing {
        Some(MissingPart::Outputs) => Vec::new(),
        _ => alpha2_outputs(response),
    };
    proto::ConversationResponseAlpha2 { context_id: passthrough.context_id, outputs }
}

/// Encodes each choice as an output with the model and the usage of all, as daprd does.
fn alpha2_outputs(response: Response) -> Vec<proto::ConversationResultAlpha2> {
    let Response { reasoning, content, tool_calls, finish_reason, others, .. } = response;
    let (missing, usage) = (response.missing, response.usage.map(alpha2_usage));
    let output = |index, choice, model| proto::ConversationResultAlpha2 {
        choices: match missing {
            Some(MissingPart::Choices) => Vec::new(),
            _ => vec![alpha2_choice(index, choice, missing != Some(MissingPart::Message))],
        },
        model,
        usage,
    };
    let (first, model) = (Choice { reasoning, content, tool_calls, finish_reason }, response.model);
    // Most responses have one choice.
    if others.is_empty() {
        return vec![output(0, first, model)];
    }
    let all = (0..).zip(iter::once(first).chain(others));
    all.map(|(index, choice)| output(index, choice, model.clone())).collect()
}

fn alpha2_choice(
    index: i64,
    choice: Choice,
    has_message: bool,
) -> proto::ConversationResultChoices {
    let message = proto::ConversationResultMessage {
        content: choice.content,
        tool_calls: choice.tool_calls.into_iter().map(tool_call).collect(),
    };
    proto::ConversationResultChoices {
        finish_reason: choice.finish_reason.as_str().to_owned(),
        index,
        message: has_message.then_some(message),
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

/// Encodes the usage in an Alpha2 response.
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
        prompt_tokens_details: (usage.cached_tokens > 0).then(|| {
            proto::ConversationResultAlpha2CompletionUsagePromptTokensDetails {
                cached_tokens: usage.cached_tokens,
                ..Default::default()
            }
        }),
    }
}

/// Encodes the response to a ConverseAlpha1 call. Drops tool calls, as daprd does.
pub fn alpha1(response: Response, passthrough: Passthrough) -> proto::ConversationResponse {
    let Passthrough { context_id, parameters } = passthrough;
    let texts =
        iter::once(response.content).chain(response.others.into_iter().map(|it| it.content));
    let output = |result| proto::ConversationResult { result, parameters: parameters.clone() };
    let outputs = match response.missing {
        None => texts.map(output).collect(),
        Some(_) => Vec::new(),
    };
    proto::ConversationResponse { context_id, outputs }
}

/// Encodes a chunk of a ConverseStreamAlpha2 response.
pub fn alpha2_chunk(content: String) -> proto::ConversationStreamResponseAlpha2 {
    use conversation_stream_response_alpha2::Message;
    let chunk = Message::Chunk(proto::ConversationStreamChunk { content });
    proto::ConversationStreamResponseAlpha2 { message: Some(chunk) }
}

/// Encodes the last message of a ConverseStreamAlpha2 response.
pub fn alpha2_complete(
    response: Response,
    passthrough: Passthrough,
) -> proto::ConversationStreamResponseAlpha2 {
    use conversation_stream_response_alpha2::Message;
    let response = alpha2(response, passthrough);
    let complete = proto::ConversationStreamCompleteAlpha2 {
        context_id: response.context_id,
        outputs: response.outputs,
    };
    proto::ConversationStreamResponseAlpha2 { message: Some(Message::Complete(complete)) }
}

/// Encodes a chunk of a ConverseStreamAlpha1 response.
pub fn alpha1_chunk(content: String) -> proto::ConversationStreamResponse {
    use conversation_stream_response::Message;
    let chunk = Message::Chunk(proto::ConversationStreamChunk { content });
    proto::ConversationStreamResponse { message: Some(chunk) }
}

/// Encodes the last message of a ConverseStreamAlpha1 response.
pub fn alpha1_complete(
    response: Response,
    passthrough: Passthrough,
) -> proto::ConversationStreamResponse {
    use conversation_stream_response::Message;
    let usage = response.usage.map(|usage| proto::ConversationStreamUsage {
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        total_tokens: usage.total_tokens(),
    });
    let response = alpha1(response, passthrough);
    let complete = proto::ConversationStreamComplete {
        context_id: response.context_id,
        usage,
        outputs: response.outputs,
    };
    proto::ConversationStreamResponse { message: Some(Message::Complete(complete)) }
}
