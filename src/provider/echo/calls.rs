//! The tools that a reply calls.

use std::borrow::Cow;

use super::{
    ArgumentStyle, EchoSettings,
    arguments::{self, Budget, Context},
    matching::{Mention, mentions},
};
use crate::chat::{Message, Request, ToolCall, ToolChoice};

/// A tool to call, and the message to take its arguments from.
struct Choice<'r> {
    tool: usize,
    message: Option<&'r Message>,
}

/// The calls of a reply, in the order of the tools, without ids.
pub(super) fn calls(settings: &EchoSettings, request: &Request) -> Vec<ToolCall> {
    let choices = choices(request);
    if choices.is_empty() {
        return Vec::new();
    }
    let question = request.last_user().map(Message::text).unwrap_or_default();
    let mut budget = Budget::default();
    let call = |choice| call(settings, request, &choice, &question, &mut budget);
    choices.into_iter().map(call).collect()
}

fn choices(request: &Request) -> Vec<Choice<'_>> {
    if request.tools.is_empty() || request.tool_choice == ToolChoice::None {
        return Vec::new();
    }
    let mentions = mentions(&request.messages, &request.tools);
    let mentioned = |mention: &Mention| Choice {
        tool: mention.tool,
        message: request.messages.get(mention.message),
    };
    match &request.tool_choice {
        ToolChoice::Tool(name) => {
            let tool = request.tools.iter().position(|tool| tool.name == *name);
            let mention = mentions.iter().find(|mention| Some(mention.tool) == tool);
            let message = mention.and_then(|mention| request.messages.get(mention.message));
            tool.map(|tool| Choice { tool, message }).into_iter().collect()
        }
        ToolChoice::Required if mentions.is_empty() => vec![Choice { tool: 0, message: None }],
        _ => mentions.iter().map(mentioned).collect(),
    }
}

fn call(
    settings: &EchoSettings,
    request: &Request,
    choice: &Choice<'_>,
    question: &str,
    budget: &mut Budget,
) -> ToolCall {
    let tool = &request.tools[choice.tool];
    // A tool that must be called without being mentioned is about the question.
    let mention = choice.message.map_or(Cow::Borrowed(question), Message::text);
    let context = Context {
        subject: &tool.name,
        mention: &mention,
        question,
        literal: settings.arguments == ArgumentStyle::Literal,
    };
    let schema = tool.parameters.as_ref().map(|schema| schema.read());
    let made = arguments::arguments(schema.as_ref(), &context, budget);
    if let Some(shortfall) = made.shortfall {
        tracing::warn!(tool = tool.name, "arguments may break the tool's schema: {shortfall}");
    }
    ToolCall { id: None, name: tool.name.clone(), arguments: made.json }
}
