//! Conditions on names.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::base::condition::TextCondition;

/// A condition on a name. Unlike for texts, a string is short for `equals`.
#[derive(Debug, Clone)]
pub(super) struct NameCondition(pub(super) TextCondition);

/// The schema of a condition: a whole name, or a condition on its text.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "NameCondition")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum NameSource {
    Equals(String),
    Text(TextCondition),
}

impl<'de> Deserialize<'de> for NameCondition {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = NameCondition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name, or a condition such as {starts_with: a}")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<NameCondition, E> {
        Ok(NameCondition(TextCondition::equals(name)))
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<NameCondition, A::Error> {
        TextCondition::deserialize(MapAccessDeserializer::new(parts)).map(NameCondition)
    }
}
