//! A file of earlier messages, in Dapr's proto JSON: a list of them, or a whole request.
//!
//! A person has written it, so an unknown field is an error, with its place.

use std::{fmt, path::Path};

use prost_reflect::DynamicMessage;
use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use super::request::input;
use crate::{
    component::{self, Place, Problem},
    wire::{
        error::shorten,
        json,
        proto::{ConversationMessage, ConversationRequestAlpha2},
    },
};

/// The request that a file holds, or that its messages make.
pub(super) fn read(file: &Path) -> Result<ConversationRequestAlpha2, Problem> {
    let problem = |place, message| Problem { file: file.to_owned(), place, message };
    let text = component::read_input(file).map_err(|why| problem(why.place, why.message))?;
    parse(&text).map_err(|error| {
        // serde_json ends its words with the place, which goes to the front here.
        let words = error.to_string();
        let (what, _) = words.rsplit_once(" at line ").unwrap_or((&words, ""));
        let place = Place { line: error.line(), column: error.column().max(1) };
        problem(Some(place).filter(|place| place.line > 0), explain(what, &error))
    })
}

fn parse(text: &str) -> serde_json::Result<ConversationRequestAlpha2> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let request = reader.deserialize_any(History)?;
    reader.end().map(|()| request)
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
