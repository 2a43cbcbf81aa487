//! Conditions on one text.

use std::{fmt, marker::PhantomData};

use mynah_core::base::condition::TextCondition;
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

/// Conditions on one text, which must all hold.
#[derive(Debug, Clone)]
pub(super) struct TextConditions<C = TextCondition>(pub(super) Vec<C>);

impl<C> Default for TextConditions<C> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The schema of conditions: one condition, or a list of conditions, which must all hold.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "TextConditions")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum TextsSource {
    One(TextCondition),
    All(#[schemars(length(min = 1))] Vec<TextCondition>),
}

impl<'de, C: Deserialize<'de>> Deserialize<'de> for TextConditions<C> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(TextsVisitor(PhantomData))
    }
}

struct TextsVisitor<C>(PhantomData<C>);

impl<'de, C: Deserialize<'de>> Visitor<'de> for TextsVisitor<C> {
    type Value = TextConditions<C>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text that is contained, a condition such as {equals: a}, or a list of them")
    }

    fn visit_str<E: Error>(self, contains: &str) -> Result<TextConditions<C>, E> {
        Ok(TextConditions(vec![C::deserialize(contains.into_deserializer())?]))
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<TextConditions<C>, A::Error> {
        let condition = C::deserialize(MapAccessDeserializer::new(parts))?;
        Ok(TextConditions(vec![condition]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<TextConditions<C>, A::Error> {
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
