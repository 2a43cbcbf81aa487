//! The tool calls in a reply.

use std::borrow::Cow;

use super::{
    arguments::{self, Context, ReplyBudget},
    matching::{Mention, mentions},
    settings::{ArgumentStyle, EchoSettings},
};
use crate::chat::{Message, Request, ToolCall, ToolChoice};

/// A tool to call and the message from which to extract the arguments.
struct Selection<'r> {
    tool: usize,
    message: Option<&'r Message>,
}

/// Returns the calls to make, without ids, in the order in which the request lists the tools.
pub(super) fn tool_calls(settings: &EchoSettings, request: &Request) -> Vec<ToolCall> {
    let selected = select(request);
    if selected.is_empty() {
        return Vec::new();
    }
    let question = request.last_user().map(Message::text).unwrap_or_default();
    let mut budget = ReplyBudget::default();
    let call = |selection| call(settings, request, &selection, &question, &mut budget);
    selected.into_iter().map(call).collect()
}

/// Selects the tools to call, based on mentions and the tool choice.
fn select(request: &Request) -> Vec<Selection<'_>> {
    if request.tools.is_empty() || request.tool_choice == ToolChoice::None {
        return Vec::new();
    }
    let mentions = mentions(&request.messages, &request.tools);
    let mentioned = |mention: &Mention| Selection {
        tool: mention.tool,
        message: request.messages.get(mention.message),
    };
    match &request.tool_choice {
        ToolChoice::Tool(name) => {
            let tool = request.tools.iter().position(|tool| tool.name == *name);
            let mention = mentions.iter().find(|mention| Some(mention.tool) == tool);
            let message = mention.and_then(|mention| request.messages.get(mention.message));
            tool.map(|tool| Selection { tool, message }).into_iter().collect()
        }
        ToolChoice::Required if mentions.is_empty() => vec![Selection { tool: 0, message: None }],
        _ => mentions.iter().map(mentioned).collect(),
    }
}

fn call(
    settings: &EchoSettings,
    request: &Request,
    selection: &Selection<'_>,
    question: &str,
    budget: &mut ReplyBudget,
) -> ToolCall {
    let tool = &request.tools[selection.tool];
    // If a tool is called without being mentioned, its arguments are extracted from the question.
    let mention = selection.message.map_or(Cow::Borrowed(question), Message::text);
    let context = Context {
        subject: &tool.name,
        mention: &mention,
        question,
        literal: settings.arguments == ArgumentStyle::Literal,
    };
    let schema = tool.parameters.as_ref().map(|schema| schema.read());
    let generated = arguments::arguments(schema.as_ref(), &context, budget);
    if let Some(violation) = generated.possible_violation {
        tracing::warn!(tool = tool.name, "arguments may violate the tool's schema: {violation}");
    }
    ToolCall { id: None, name: tool.name.clone(), arguments: generated.json }
}
