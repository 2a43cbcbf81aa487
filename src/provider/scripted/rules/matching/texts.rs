//! Conditions on one text.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use crate::base::condition::TextCondition;

/// Conditions on one text, which must all hold.
#[derive(Debug, Clone, Default)]
pub(super) struct TextConditions(pub(super) Vec<TextCondition>);

/// The schema of conditions: one condition, or a list of conditions, which must all hold.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "TextConditions")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum TextsSource {
    One(TextCondition),
    All(#[schemars(length(min = 1))] Vec<TextCondition>),
}

impl<'de> Deserialize<'de> for TextConditions {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = TextConditions;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text that is contained, a condition such as {equals: a}, or a list of them")
    }

    fn visit_str<E: Error>(self, contains: &str) -> Result<TextConditions, E> {
        Ok(TextConditions(vec![TextCondition::contains(contains)]))
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<TextConditions, A::Error> {
        let condition = TextCondition::deserialize(MapAccessDeserializer::new(parts))?;
        Ok(TextConditions(vec![condition]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<TextConditions, A::Error> {
        let mut conditions = Vec::new();
        while let Some(condition) = list.next_element()? {
            conditions.push(condition);
        }
        if conditions.is_empty() {
            return Err(A::Error::custom("the list is empty; expected at least one condition"));
        }
        Ok(TextConditions(conditions))
    }
}
