//! A value that is a text or a mapping.

use std::{fmt, marker::PhantomData};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A text, or a mapping for the cases that a text cannot express.
#[derive(Debug, Clone, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Short<T> {
    Text(String),
    Full(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Short<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(ShortVisitor(PhantomData))
    }
}

struct ShortVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ShortVisitor<T> {
    type Value = Short<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a mapping")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Short<T>, E> {
        Ok(Short::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Short<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Short::Full)
    }
}
