//! Reads the file given with `--history`, in Dapr's proto JSON: a list of messages, a request, or
//! the output of `--tools --json`.
//!
//! Users write these files by hand, so an unknown field is reported as an error with its location.

use std::{collections::BTreeMap, fmt, path::Path};

use prost_reflect::DynamicMessage;
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer,
    },
};

use super::messages::input;
use crate::{
    base::{
        diagnostics::{Diagnostic, Place},
        files,
    },
    wire::{
        error::innermost,
        json,
        proto::{ConversationMessage, ConversationRequestAlpha2},
    },
};

/// Returns the request in a file, or a request with the messages in the file.
pub(super) fn read(file: &Path) -> Result<ConversationRequestAlpha2, Diagnostic> {
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
