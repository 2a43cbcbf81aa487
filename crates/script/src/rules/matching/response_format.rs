//! Conditions on the response format of a request.

use std::fmt;

use mynah_core::base::condition::TextCondition;
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::condition::Condition;

const PRESENT: &str = "present";
const ABSENT: &str = "absent";

/// A condition on the response format: whether there is one, or a condition on its JSON.
#[derive(Debug)]
pub(super) struct FormatCondition(pub(super) Condition);

/// The schema of a condition on the response format.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "FormatCondition")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum FormatSource {
    Presence(Presence),
    Json(TextCondition),
}

/// Whether a request has a response format.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum Presence {
    Present,
    Absent,
}

/// Returns the name of a presence.
pub(super) fn presence(is_present: bool) -> &'static str {
    if is_present { PRESENT } else { ABSENT }
}

impl<'de> Deserialize<'de> for FormatCondition {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(FormatVisitor)
    }
}

struct FormatVisitor;

impl<'de> Visitor<'de> for FormatVisitor {
    type Value = FormatCondition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("present, absent, or a condition on its JSON such as {contains: Invoice}")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FormatCondition, E> {
        match text {
            PRESENT => Ok(FormatCondition(Condition::HasResponseFormat(true))),
            ABSENT => Ok(FormatCondition(Condition::HasResponseFormat(false))),
            text => Err(E::unknown_variant(text, &[PRESENT, ABSENT])),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<FormatCondition, A::Error> {
        let json = TextCondition::deserialize(MapAccessDeserializer::new(parts))?;
        Ok(FormatCondition(Condition::ResponseFormat(json)))
    }
}
