//! Conditions on the last user message.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::base::{
    condition::{Parts, TextCondition, whole_text},
    schema_keys::having,
};

/// How the text of the last user message is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct UserText {
    /// Whether nothing is between the parts of the message. Otherwise there are line breaks.
    pub(super) joins_directly: bool,
    /// Whether messages without text do not count.
    pub(super) skips_empty: bool,
}

/// A condition on the last user message. A string is short for `contains`.
#[derive(Debug, Clone)]
pub(super) struct UserCondition {
    pub(super) read: UserText,
    pub(super) text: TextCondition,
}

/// The schema of conditions: one condition, or a list of conditions, which must all hold.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "UserConditions")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum UserSource {
    Contains(String),
    One(UserParts),
    All(#[schemars(length(min = 1))] Vec<OneUserSource>),
}

/// The schema of a condition in a list.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "UserCondition")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum OneUserSource {
    Contains(String),
    Parts(UserParts),
}

/// A condition on the last user message. All its parts must hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "UserConditionParts",
    extend("anyOf" = having(&["equals", "contains", "starts_with", "matches"]))
)]
pub(super) struct UserParts {
    /// The whole text. A number or a boolean stands for its JSON.
    #[serde(default, deserialize_with = "whole_text")]
    #[schemars(extend("type" = ["string", "number", "boolean", "null"]))]
    equals: Option<String>,
    /// A part of the text.
    contains: Option<String>,
    /// The beginning of the text.
    starts_with: Option<String>,
    /// A regular expression that matches somewhere in the text.
    #[schemars(extend("format" = "regex"))]
    matches: Option<String>,
    /// Whether upper and lower case are equal.
    #[serde(default)]
    ignore_case: bool,
    /// What joins the parts of the message: a line break, or nothing.
    #[schemars(extend("enum" = ["\n", "", null]))]
    join: Option<String>,
    /// Whether user messages without text do not count.
    #[serde(default)]
    skip_empty: bool,
}

impl TryFrom<UserParts> for UserCondition {
    type Error = String;

    fn try_from(parts: UserParts) -> Result<Self, String> {
        let UserParts { equals, contains, starts_with, matches, ignore_case, .. } = parts;
        let joins_directly = match parts.join.as_deref() {
            None | Some("\n") => false,
            Some("") => true,
            Some(other) => {
                return Err(format!("join is {other:?}; expected \"\" or a line break"));
            }
        };
        let read = UserText { joins_directly, skips_empty: parts.skip_empty };
        let text = Parts { equals, contains, starts_with, matches, ignore_case }.try_into()?;
        Ok(Self { read, text })
    }
}

impl<'de> Deserialize<'de> for UserCondition {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(UserVisitor)
    }
}

struct UserVisitor;

impl<'de> Visitor<'de> for UserVisitor {
    type Value = UserCondition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text that is contained, or a condition such as {equals: a}")
    }

    fn visit_str<E: Error>(self, contains: &str) -> Result<UserCondition, E> {
        Ok(UserCondition { read: UserText::default(), text: TextCondition::contains(contains) })
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<UserCondition, A::Error> {
        let parts = UserParts::deserialize(MapAccessDeserializer::new(parts))?;
        parts.try_into().map_err(A::Error::custom)
    }
}
