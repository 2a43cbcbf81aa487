//! Builds the request from the flags, the history file and stdin.

use std::collections::BTreeSet;

use super::{
    error::Error,
    history,
    messages::{input, system, user},
};
use crate::{
    base::{files, text::strip_line_break},
    chat::{Request, Tool},
    cli::args::ConverseArgs,
    wire::{
        client_request, decode,
        proto::{ConversationRequestAlpha2, ConversationTools, conversation_tools::ToolTypes},
    },
};

/// Returns the request for one call: the system prompt, then the history, then the prompt.
pub(super) fn for_call(args: &ConverseArgs) -> Result<ConversationRequestAlpha2, Error> {
    let history = history(args)?;
    let prompt = match args.prompt.as_deref() {
        None | Some("-") => files::read_stdin().map(strip_line_break).map_err(Error::Input)?,
        Some(prompt) => prompt.to_owned(),
    };
    let has_history = history.inputs.iter().any(|input| !input.messages.is_empty());
    if prompt.is_empty() && !has_history {
        return Err(Error::NoPrompt);
    }
    let mut request = apply_flags(history, args);
    request.inputs.extend((!prompt.is_empty()).then(|| input(vec![user(&prompt)])));
    Ok(request)
}

/// Returns the request that an interactive session starts with: the system prompt, then the
/// history. The request may have no messages.
pub(super) fn for_session(args: &ConverseArgs) -> Result<ConversationRequestAlpha2, Error> {
    Ok(apply_flags(history(args)?, args))
}

fn history(args: &ConverseArgs) -> Result<ConversationRequestAlpha2, Error> {
    let request = args.history.as_deref().map(history::read).transpose().map_err(Error::Input)?;
    Ok(request.unwrap_or_default())
}

/// Applies the flags to the history's request. Flags take precedence.
fn apply_flags(
    mut request: ConversationRequestAlpha2,
    args: &ConverseArgs,
) -> ConversationRequestAlpha2 {
    request.inputs.splice(0..0, args.system.as_deref().map(|text| input(vec![system(text)])));
    if let Some(name) = &args.component {
        request.name.clone_from(name);
    }
    request.context_id = args.context_id.clone().or(request.context_id);
    request.temperature = args.temperature.or(request.temperature);
    request
}

/// Adds a system prompt about tools as the first message, unless the history has it already.
pub(super) fn add_instructions(request: &mut ConversationRequestAlpha2, text: &str) {
    let prompt = system(text);
    if !request.inputs.iter().any(|input| input.messages.contains(&prompt)) {
        request.inputs.insert(0, input(vec![prompt]));
    }
}

/// Converts a request for the tool loop. The converted request offers `tools` in addition to the
/// request's own tools.
pub(super) fn for_tool_loop<'t>(
    mut request: ConversationRequestAlpha2,
    tools: impl Iterator<Item = &'t Tool>,
) -> Result<Request, Error> {
    let offered: BTreeSet<_> =
        request.tools.iter().filter_map(tool_name).map(str::to_owned).collect();
    // Add the tools before decoding, which checks that the tool choice names an offered tool.
    request.tools.extend(
        tools.filter(|tool| !offered.contains(&tool.name)).map(client_request::encode_tool),
    );
    // Decoding rejects a request without inputs, but a session may start without messages.
    request.inputs.push(input(Vec::new()));
    decode::alpha2(request, &BTreeSet::new()).map_err(|error| Error::Message(error.into()))
}

fn tool_name(tool: &ConversationTools) -> Option<&str> {
    let ToolTypes::Function(function) = tool.tool_types.as_ref()?;
    Some(&function.name)
}
