//! Decodes a [`Response`] from another sidecar.

use super::proto::{self, conversation_tool_calls::ToolTypes};
use crate::{
    chat::{Choice, FinishReason, Response, ToolCall, Usage},
    provider::EXHAUSTED,
};

/// Decodes the choices of all outputs. Returns `None` if there is no choice.
pub(crate) fn decode(outputs: Vec<proto::ConversationResultAlpha2>) -> Option<Response> {
    let mut outputs = outputs.into_iter().skip_while(|output| output.choices.is_empty());
    let output = outputs.next()?;
    let rest = outputs.flat_map(|output| output.choices);
    let mut choices = output.choices.into_iter().chain(rest).map(choice);
    let Choice { reasoning, content, tool_calls, finish_reason } = choices.next()?;
    Some(Response {
        is_exhausted: content == EXHAUSTED,
        reasoning,
        content,
        tool_calls,
        finish_reason,
        others: choices.collect(),
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

fn choice(choice: proto::ConversationResultChoices) -> Choice {
    let message = choice.message.unwrap_or_default();
    Choice {
        reasoning: String::new(),
        content: message.content,
        tool_calls: message.tool_calls.into_iter().map(tool_call).collect(),
        finish_reason: finish_reason(&choice.finish_reason),
    }
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
