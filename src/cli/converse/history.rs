//! A file of earlier messages, in Dapr's proto JSON: a list of them, a whole request, or what a run
//! of the tool loop has printed.
//!
//! A person has written it, so an unknown field is an error, with its place.

use std::{collections::BTreeMap, fmt, path::Path};

use prost_reflect::DynamicMessage;
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer,
    },
};

use super::request::input;
use crate::{
    base::{
        diagnostics::{Diagnostic, Place},
        files,
    },
    wire::{
        error::shorten,
        json,
        proto::{ConversationMessage, ConversationRequestAlpha2},
    },
};

/// The request that a file holds, or that its messages make.
pub(super) fn read(file: &Path) -> Result<ConversationRequestAlpha2, Diagnostic> {
    let text = files::read(file)?;
    parse(&text).map_err(|error| {
        // serde_json ends its words with the place, which goes to the front here.
        let words = error.to_string();
        let (what, _) = words.rsplit_once(" at line ").unwrap_or((&words, ""));
        let place = Place { line: error.line(), column: error.column().max(1) };
        let place = Some(place).filter(|place| place.line > 0);
        Diagnostic { place, ..Diagnostic::error(explain(what, &error)).in_file(file) }
    })
}

fn parse(text: &str) -> serde_json::Result<ConversationRequestAlpha2> {
    let keys = match serde_json::from_str::<BTreeMap<String, IgnoredAny>>(text) {
        Err(error) if !error.is_data() => return Err(error),
        keys => keys.unwrap_or_default(),
    };
    if keys.contains_key("ended") {
        return serde_json::from_str(text).map(|Event { ended }| ended.messages);
    }
    if keys.contains_key("end") {
        return serde_json::from_str(text).map(|Ended { messages }| messages);
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let request = reader.deserialize_any(History)?;
    reader.end().map(|()| request)
}

/// The last line of a run's events.
#[derive(Deserialize)]
struct Event {
    ended: Ended,
}

/// A run, of which only the messages are a history.
#[derive(Deserialize)]
struct Ended {
    #[serde(deserialize_with = "messages")]
    messages: ConversationRequestAlpha2,
}

fn messages<'de, D: Deserializer<'de>>(list: D) -> Result<ConversationRequestAlpha2, D::Error> {
    list.deserialize_seq(History)
}

fn explain(what: &str, error: &serde_json::Error) -> String {
    if !error.is_data() {
        return format!("not valid JSON: {what}");
    }
    let mut words = what.to_owned();
    // Whoever knows messages by their roles alone is told how Dapr writes them.
    if what.starts_with("unrecognized field") {
        words += r#"; a message is such as {"ofUser": {"content": [{"text": "Hello!"}]}}"#;
    }
    words
}

struct History;

impl<'de> Visitor<'de> for History {
    type Value = ConversationRequestAlpha2;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages or a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        let seed = json::descriptor::<ConversationRequestAlpha2>();
        message(&seed.deserialize(MapAccessDeserializer::new(fields))?)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let seed = json::descriptor::<ConversationMessage>();
        let mut messages = Vec::new();
        while let Some(next) = list.next_element_seed(seed.clone())? {
            messages.push(message(&next)?);
        }
        let inputs = vec![input(messages)];
        Ok(ConversationRequestAlpha2 { inputs, ..Default::default() })
    }
}

fn message<M: prost::Message + Default, E: serde::de::Error>(
    source: &DynamicMessage,
) -> Result<M, E> {
    source.transcode_to().map_err(|error| E::custom(shorten(&error)))
}
