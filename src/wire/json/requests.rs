//! The fields of requests, in both spellings.

use serde::de::MapAccess;

use super::reading::{Fields, Value};
use crate::wire::proto::{
    ConversationInput, ConversationInputAlpha2, ConversationMessage, ConversationMessageContent,
    ConversationMessageOfAssistant, ConversationMessageOfDeveloper, ConversationMessageOfSystem,
    ConversationMessageOfTool, ConversationMessageOfUser, ConversationRequest,
    ConversationRequestAlpha2, ConversationToolCalls, ConversationToolCallsOfFunction,
    ConversationTools, ConversationToolsFunction, conversation_message::MessageTypes,
    conversation_tool_calls, conversation_tools,
};

/// `Message { "name" => how(field), … }`, where `how` reads a value.
macro_rules! fields {
    ($($message:ident { $($name:pat => $how:ident($($field:ident $(, $variant:expr)?)?)),+ $(,)? })+) => { $(
        impl Fields for $message {
            fn read<'de, A: MapAccess<'de>>(
                &mut self,
                field: &str,
                value: Value<'_, A>,
            ) -> Result<(), A::Error> {
                match field {
                    $($name => value.$how($(&mut self.$field $(, $variant)?)?),)+
                    _ => value.pass_over(),
                }
            }
        }
    )+ };
}

fields! {
    ConversationRequest {
        "name" => plain(name),
        "contextID" => optional(context_id),
        "inputs" => list(inputs),
        "parameters" => leave(),
        "metadata" => plain(metadata),
        "scrubPII" => optional(scrub_pii),
        "temperature" => optional(temperature),
    }
    ConversationInput {
        "content" => plain(content),
        "role" => optional(role),
        "scrubPII" => optional(scrub_pii),
    }
    ConversationRequestAlpha2 {
        "name" => plain(name),
        "contextId" | "context_id" => optional(context_id),
        "inputs" => list(inputs),
        "parameters" => leave(),
        "metadata" => plain(metadata),
        "scrubPii" | "scrub_pii" => optional(scrub_pii),
        "temperature" => optional(temperature),
        "tools" => list(tools),
        "toolChoice" | "tool_choice" => optional(tool_choice),
        "responseFormat" | "response_format" => structure(response_format),
        "promptCacheRetention" | "prompt_cache_retention" => leave(),
        "maxTokens" | "max_tokens" => optional(max_tokens),
    }
    ConversationInputAlpha2 {
        "messages" => list(messages),
        "scrubPii" | "scrub_pii" => optional(scrub_pii),
    }
    ConversationMessage {
        "ofDeveloper" | "of_developer" => one_of(message_types, MessageTypes::OfDeveloper),
        "ofSystem" | "of_system" => one_of(message_types, MessageTypes::OfSystem),
        "ofUser" | "of_user" => one_of(message_types, MessageTypes::OfUser),
        "ofAssistant" | "of_assistant" => one_of(message_types, MessageTypes::OfAssistant),
        "ofTool" | "of_tool" => one_of(message_types, MessageTypes::OfTool),
    }
    ConversationMessageOfDeveloper { "name" => optional(name), "content" => list(content) }
    ConversationMessageOfSystem { "name" => optional(name), "content" => list(content) }
    ConversationMessageOfUser { "name" => optional(name), "content" => list(content) }
    ConversationMessageOfAssistant {
        "name" => optional(name),
        "content" => list(content),
        "toolCalls" | "tool_calls" => list(tool_calls),
    }
    ConversationMessageOfTool {
        "toolId" | "tool_id" => optional(tool_id),
        "name" => plain(name),
        "content" => list(content),
    }
    ConversationMessageContent { "text" => plain(text) }
    ConversationToolCalls {
        "id" => optional(id),
        "function" => one_of(tool_types, conversation_tool_calls::ToolTypes::Function),
    }
    ConversationToolCallsOfFunction { "name" => plain(name), "arguments" => plain(arguments) }
    ConversationTools {
        "function" => one_of(tool_types, conversation_tools::ToolTypes::Function),
    }
    ConversationToolsFunction {
        "name" => plain(name),
        "description" => optional(description),
        "parameters" => structure(parameters),
    }
}
