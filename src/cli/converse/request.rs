//! What the user wrote, as one request.

use std::{
    collections::BTreeSet,
    io::{self, IsTerminal},
};

use super::{error::Error, history};
use crate::{
    base::{files, terminal::without_line_break},
    chat::{Request, Tool},
    cli::args::ConverseArgs,
    wire::{
        ask, decode,
        proto::{
            ConversationInputAlpha2, ConversationMessage, ConversationMessageContent,
            ConversationMessageOfSystem, ConversationMessageOfUser, ConversationRequestAlpha2,
            ConversationTools, conversation_message::MessageTypes, conversation_tools::ToolTypes,
        },
    },
};

/// Whether the prompts are to be typed, one after the other.
pub(super) fn is_typed(args: &ConverseArgs) -> bool {
    args.prompt.is_none() && io::stdin().is_terminal()
}

/// The system prompt, then the history, then the prompt. A history may be all there is, and where
/// prompts are typed, there may be nothing yet.
///
/// What a flag says beats what a request in the history says.
pub(super) fn new(args: &ConverseArgs) -> Result<ConversationRequestAlpha2, Error> {
    let history = args.history.as_deref().map(history::read).transpose().map_err(Error::Input)?;
    let is_typed = is_typed(args);
    let prompt = if is_typed { String::new() } else { prompt(args.prompt.as_deref())? };
    let mut request = history.unwrap_or_default();
    let is_empty = request.inputs.iter().all(|input| input.messages.is_empty());
    if prompt.is_empty() && is_empty && !is_typed {
        return Err(Error::NoPrompt);
    }
    request.inputs.splice(0..0, args.system.as_deref().map(|text| input(vec![system(text)])));
    request.inputs.extend((!prompt.is_empty()).then(|| input(vec![user(&prompt)])));
    if let Some(name) = &args.component {
        request.name.clone_from(name);
    }
    request.context_id = args.context_id.clone().or(request.context_id);
    request.temperature = args.temperature.or(request.temperature);
    Ok(request)
}

/// The prompt; empty where there is none.
fn prompt(written: Option<&str>) -> Result<String, Error> {
    match written {
        None | Some("-") => standard_input(),
        Some(text) => Ok(text.to_owned()),
    }
}

/// The same for the tool loop, which offers these tools beside those of the request.
pub(super) fn for_loop<'t>(
    mut request: ConversationRequestAlpha2,
    tools: impl Iterator<Item = &'t Tool>,
) -> Result<Request, Error> {
    let offered: BTreeSet<_> = request.tools.iter().filter_map(name).map(str::to_owned).collect();
    // The tool choice may name any of them.
    request.tools.extend(tools.filter(|tool| !offered.contains(&tool.name)).map(ask::tool));
    // What is typed comes later.
    request.inputs.push(input(Vec::new()));
    decode::alpha2(request).map_err(|error| Error::Message(error.into()))
}

fn name(tool: &ConversationTools) -> Option<&str> {
    let ToolTypes::Function(function) = tool.tool_types.as_ref()?;
    Some(&function.name)
}

/// All of standard input, but for the line break at its end.
fn standard_input() -> Result<String, Error> {
    files::read_stdin().map(without_line_break).map_err(Error::Input)
}

/// Messages that stand together.
pub(super) fn input(messages: Vec<ConversationMessage>) -> ConversationInputAlpha2 {
    ConversationInputAlpha2 { messages, scrub_pii: None }
}

fn system(text: &str) -> ConversationMessage {
    let said = ConversationMessageOfSystem { name: None, content: content(text) };
    ConversationMessage { message_types: Some(MessageTypes::OfSystem(said)) }
}

fn user(text: &str) -> ConversationMessage {
    let said = ConversationMessageOfUser { name: None, content: content(text) };
    ConversationMessage { message_types: Some(MessageTypes::OfUser(said)) }
}

fn content(text: &str) -> Vec<ConversationMessageContent> {
    vec![ConversationMessageContent { text: text.to_owned() }]
}
