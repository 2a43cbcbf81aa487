//! The members of responses, sorted by name.

use serde::ser::SerializeMap;

use super::printing::{Members, Object};
use crate::wire::proto::{
    ConversationResponse, ConversationResponseAlpha2, ConversationResult, ConversationResultAlpha2,
    ConversationResultAlpha2CompletionUsage,
    ConversationResultAlpha2CompletionUsageCompletionTokensDetails,
    ConversationResultAlpha2CompletionUsagePromptTokensDetails, ConversationResultChoices,
    ConversationResultMessage, ConversationStreamChunk, ConversationStreamComplete,
    ConversationStreamCompleteAlpha2, ConversationStreamResponse, ConversationStreamResponseAlpha2,
    ConversationStreamUsage, ConversationToolCalls, ConversationToolCallsOfFunction,
    conversation_stream_response, conversation_stream_response_alpha2, conversation_tool_calls,
};

/// `Message { "name" => how(field), … }`, where `how` prints a member.
macro_rules! members {
    ($($message:ident { $($name:literal => $how:ident($field:ident)),+ $(,)? })+) => { $(
        impl Members for $message {
            fn print<O: SerializeMap>(&self, object: &mut Object<O>) -> Result<(), O::Error> {
                $(object.$how($name, &self.$field)?;)+
                Ok(())
            }
        }
    )+ };
}

members! {
    ConversationResponse { "contextID" => optional(context_id), "outputs" => list(outputs) }
    ConversationResult { "parameters" => leave(parameters), "result" => text(result) }
    ConversationResponseAlpha2 { "contextId" => optional(context_id), "outputs" => list(outputs) }
    ConversationResultAlpha2 {
        "choices" => list(choices),
        "model" => optional(model),
        "usage" => message(usage),
    }
    ConversationResultChoices {
        "finishReason" => text(finish_reason),
        "index" => number(index),
        "message" => message(message),
    }
    ConversationResultMessage { "content" => text(content), "toolCalls" => list(tool_calls) }
    ConversationToolCallsOfFunction { "arguments" => text(arguments), "name" => text(name) }
    ConversationResultAlpha2CompletionUsage {
        "completionTokens" => number(completion_tokens),
        "completionTokensDetails" => message(completion_tokens_details),
        "promptTokens" => number(prompt_tokens),
        "promptTokensDetails" => message(prompt_tokens_details),
        "totalTokens" => number(total_tokens),
    }
    ConversationResultAlpha2CompletionUsageCompletionTokensDetails {
        "acceptedPredictionTokens" => number(accepted_prediction_tokens),
        "audioTokens" => number(audio_tokens),
        "reasoningTokens" => number(reasoning_tokens),
        "rejectedPredictionTokens" => number(rejected_prediction_tokens),
    }
    ConversationResultAlpha2CompletionUsagePromptTokensDetails {
        "audioTokens" => number(audio_tokens),
        "cachedTokens" => number(cached_tokens),
    }
    ConversationStreamChunk { "content" => text(content) }
    ConversationStreamComplete {
        "contextID" => optional(context_id),
        "outputs" => list(outputs),
        "usage" => message(usage),
    }
    ConversationStreamCompleteAlpha2 {
        "contextId" => optional(context_id),
        "outputs" => list(outputs),
    }
    ConversationStreamUsage {
        "completionTokens" => number(completion_tokens),
        "promptTokens" => number(prompt_tokens),
        "totalTokens" => number(total_tokens),
    }
}

impl Members for ConversationToolCalls {
    fn print<O: SerializeMap>(&self, object: &mut Object<O>) -> Result<(), O::Error> {
        use conversation_tool_calls::ToolTypes::Function;
        if let Some(Function(function)) = &self.tool_types {
            object.one_of("function", function)?;
        }
        object.optional("id", &self.id)
    }
}

impl Members for ConversationStreamResponse {
    fn print<O: SerializeMap>(&self, object: &mut Object<O>) -> Result<(), O::Error> {
        use conversation_stream_response::Message::{Chunk, Complete};
        match &self.message {
            Some(Chunk(chunk)) => object.one_of("chunk", chunk),
            Some(Complete(complete)) => object.one_of("complete", complete),
            None => Ok(()),
        }
    }
}

impl Members for ConversationStreamResponseAlpha2 {
    fn print<O: SerializeMap>(&self, object: &mut Object<O>) -> Result<(), O::Error> {
        use conversation_stream_response_alpha2::Message::{Chunk, Complete};
        match &self.message {
            Some(Chunk(chunk)) => object.one_of("chunk", chunk),
            Some(Complete(complete)) => object.one_of("complete", complete),
            None => Ok(()),
        }
    }
}
