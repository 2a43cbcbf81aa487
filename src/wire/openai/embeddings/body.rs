//! The body of a request for embeddings.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Unexpected, Visitor, value::SeqAccessDeserializer},
};

/// The body of a request.
#[derive(Debug, Deserialize)]
pub(super) struct Body<'a> {
    #[serde(borrow)]
    pub(super) model: Option<Cow<'a, str>>,
    pub(super) input: Option<Input>,
    #[serde(borrow)]
    pub(super) encoding_format: Option<Cow<'a, str>>,
    pub(super) dimensions: Option<u64>,
}

/// What is to be embedded, or one item of an array of it.
#[derive(Debug)]
pub(super) enum Input {
    Text(String),
    Token(u64),
    Items(Vec<Self>),
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InputVisitor)
    }
}

struct InputVisitor;

impl<'de> Visitor<'de> for InputVisitor {
    type Value = Input;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, an array of tokens, or an array of these")
    }

    fn visit_str<E>(self, text: &str) -> Result<Input, E> {
        Ok(Input::Text(text.to_owned()))
    }

    fn visit_u64<E>(self, token: u64) -> Result<Input, E> {
        Ok(Input::Token(token))
    }

    fn visit_i64<E: Error>(self, token: i64) -> Result<Input, E> {
        let token = u64::try_from(token);
        token
            .map(Input::Token)
            .map_err(|_| E::invalid_value(Unexpected::Other("a negative number"), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Input, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(Input::Items)
    }
}
