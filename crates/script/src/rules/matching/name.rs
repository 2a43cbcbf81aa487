//! Conditions on names.

use mynah_core::base::{
    condition::{Parts, TextCondition},
    text_or_mapping::{TextOrMapping, text_or_mapping},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

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
        text_or_mapping(source)
    }
}

impl TryFrom<Parts> for NameCondition {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Self, String> {
        parts.try_into().map(Self)
    }
}

impl TextOrMapping for NameCondition {
    type Parts = Parts;

    const EXPECTED: &'static str = "a name, or a condition such as {starts_with: a}";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self(TextCondition::equals(text)))
    }
}
