//! Conditions on the parameters of a request.

use std::fmt;

use mynah_core::base::{condition::TextCondition, number::as_integer};
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::Value;

/// A condition on a value. A text is contained; a number or a boolean is the whole value.
#[derive(Debug, Clone)]
pub(super) struct ValueCondition(pub(super) TextCondition);

/// The schema of a condition: a number, a boolean, or a condition on the text of a value.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ValueCondition")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum ValueSource {
    Number(f64),
    Boolean(bool),
    Text(TextCondition),
}

/// Returns the text of a value for conditions: a text itself, or else its JSON. `null` has none.
pub(super) fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        value => Some(value.to_string()),
    }
}

impl<'de> Deserialize<'de> for ValueCondition {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = ValueCondition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a boolean, a text that is contained, or {equals: a}")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<ValueCondition, E> {
        Ok(equals(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<ValueCondition, E> {
        Ok(equals(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<ValueCondition, E> {
        Ok(equals(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<ValueCondition, E> {
        Ok(as_integer(value).map_or_else(|| equals(value), equals))
    }

    fn visit_str<E: Error>(self, contains: &str) -> Result<ValueCondition, E> {
        Ok(ValueCondition(TextCondition::contains(contains)))
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<ValueCondition, A::Error> {
        TextCondition::deserialize(MapAccessDeserializer::new(parts)).map(ValueCondition)
    }
}

/// The condition that a value is this one.
fn equals(value: impl Into<Value>) -> ValueCondition {
    ValueCondition(TextCondition::equals(value.into().to_string()))
}
