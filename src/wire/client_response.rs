//! Decodes a [`Response`] from another sidecar.

use super::proto::{self, conversation_tool_calls::ToolTypes};
use crate::{
    chat::{FinishReason, Response, ToolCall, Usage},
    provider::EXHAUSTED,
};

/// Decodes the first choice among all outputs. Returns `None` if there is no choice.
pub(crate) fn decode(outputs: Vec<proto::ConversationResultAlpha2>) -> Option<Response> {
    let output = outputs.into_iter().find(|output| !output.choices.is_empty())?;
    let choice = output.choices.into_iter().next()?;
    let message = choice.message.unwrap_or_default();
    Some(Response {
        is_exhausted: message.content == EXHAUSTED,
        content: message.content,
        tool_calls: message.tool_calls.into_iter().map(tool_call).collect(),
        finish_reason: finish_reason(&choice.finish_reason),
        model: output.model,
        usage: output.usage.map(|usage| Usage {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            reasoning_tokens: usage
                .completion_tokens_details
                .map_or(0, |details| details.reasoning_tokens),
            cached_tokens: usage.prompt_tokens_details.map_or(0, |details| details.cached_tokens),
        }),
        ..Response::default()
    })
}

/// Decodes a tool call. A call without a function gets an empty name, which matches no tool.
fn tool_call(call: proto::ConversationToolCalls) -> ToolCall {
    let function = match call.tool_types {
        Some(ToolTypes::Function(function)) => function,
        None => proto::ConversationToolCallsOfFunction::default(),
    };
    ToolCall { id: call.id, name: function.name, arguments: function.arguments }
}

/// Returns the finish reason. A missing reason becomes the default, "stop".
fn finish_reason(reason: &str) -> FinishReason {
    if reason.is_empty() { FinishReason::default() } else { reason.into() }
}
