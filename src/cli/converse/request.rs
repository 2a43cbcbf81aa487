//! Builds the request from the flags, the history file and stdin.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
};

use prost_reflect::DynamicMessage;
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer,
    },
};

use super::error::Error;
use crate::{
    base::{
        diagnostics::{Diagnostic, Place},
        files,
        text::strip_line_break,
    },
    chat::{Request, Tool},
    cli::args::ConverseArgs,
    wire::{
        client_request, decode,
        error::innermost,
        json,
        proto::{
            ConversationInputAlpha2, ConversationMessage, ConversationMessageContent,
            ConversationMessageOfSystem, ConversationMessageOfUser, ConversationRequestAlpha2,
            ConversationTools, conversation_message::MessageTypes, conversation_tools::ToolTypes,
        },
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
    let request = args.history.as_deref().map(read_history).transpose().map_err(Error::Input)?;
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

fn input(messages: Vec<ConversationMessage>) -> ConversationInputAlpha2 {
    ConversationInputAlpha2 { messages, scrub_pii: None }
}

fn system(text: &str) -> ConversationMessage {
    let message = ConversationMessageOfSystem { name: None, content: content(text) };
    ConversationMessage { message_types: Some(MessageTypes::OfSystem(message)) }
}

pub(super) fn user(text: &str) -> ConversationMessage {
    let message = ConversationMessageOfUser { name: None, content: content(text) };
    ConversationMessage { message_types: Some(MessageTypes::OfUser(message)) }
}

fn content(text: &str) -> Vec<ConversationMessageContent> {
    vec![ConversationMessageContent { text: text.to_owned() }]
}

/// Returns the request in the file given with `--history`, or a request with the messages in it. The
/// file has Dapr's proto JSON: a list of messages, a request, or the output of `--tools --json`.
///
/// Users write these files by hand, so an unknown field is reported as an error with its location.
fn read_history(file: &Path) -> Result<ConversationRequestAlpha2, Diagnostic> {
    let text = files::read(file)?;
    parse(&text).map_err(|error| diagnostic(&error).in_file(file))
}

fn parse(text: &str) -> serde_json::Result<ConversationRequestAlpha2> {
    let keys = match serde_json::from_str::<BTreeMap<String, IgnoredAny>>(text) {
        Err(error) if !error.is_data() => return Err(error),
        keys => keys.unwrap_or_default(),
    };
    if keys.contains_key("ended") {
        return serde_json::from_str(text).map(|EndedEvent { ended }| ended.messages);
    }
    if keys.contains_key("end") {
        return serde_json::from_str(text).map(|Run { messages }| messages);
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let request = reader.deserialize_any(RequestVisitor)?;
    reader.end().map(|()| request)
}

/// The last line of the output of `--tools --json --stream`.
#[derive(Deserialize)]
struct EndedEvent {
    ended: Run,
}

/// The output of `--tools --json`. Only its messages are read.
#[derive(Deserialize)]
struct Run {
    #[serde(deserialize_with = "messages")]
    messages: ConversationRequestAlpha2,
}

fn messages<'de, D: Deserializer<'de>>(list: D) -> Result<ConversationRequestAlpha2, D::Error> {
    list.deserialize_seq(RequestVisitor)
}

fn diagnostic(error: &serde_json::Error) -> Diagnostic {
    // serde_json ends its messages with the location. Diagnostics start with it.
    let text = error.to_string();
    let (message, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
    let diagnostic = Diagnostic::error(explain(message, error));
    match error.line() {
        0 => diagnostic,
        line => diagnostic.at(Place { line, column: error.column().max(1) }),
    }
}

fn explain(message: &str, error: &serde_json::Error) -> String {
    if !error.is_data() {
        return format!("not valid JSON: {message}");
    }
    // Users who know OpenAI's format may write `role` and `content`, so show Dapr's format.
    let example = match message.starts_with("unrecognized field") {
        true => r#"; a message looks like {"ofUser": {"content": [{"text": "Hello!"}]}}"#,
        false => "",
    };
    format!("{message}{example}")
}

struct RequestVisitor;

impl<'de> Visitor<'de> for RequestVisitor {
    type Value = ConversationRequestAlpha2;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages or a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        let seed = json::descriptor::<ConversationRequestAlpha2>();
        transcode(&seed.deserialize(MapAccessDeserializer::new(fields))?)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let seed = json::descriptor::<ConversationMessage>();
        let mut messages = Vec::new();
        while let Some(message) = list.next_element_seed(seed.clone())? {
            messages.push(transcode(&message)?);
        }
        let inputs = vec![input(messages)];
        Ok(ConversationRequestAlpha2 { inputs, ..Default::default() })
    }
}

fn transcode<M: prost::Message + Default, E: serde::de::Error>(
    message: &DynamicMessage,
) -> Result<M, E> {
    message.transcode_to().map_err(|error| E::custom(innermost(&error)))
}
