//! Conditions on the last user message.

use mynah_core::base::{
    condition::{PARTS, Parts, TextCondition, whole_text},
    schema_keys::having,
    text_or_mapping::{TextOrMapping, text_or_mapping},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

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
    extend("anyOf" = having(&PARTS))
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
    /// The end of the text.
    ends_with: Option<String>,
    /// A regular expression that matches somewhere in the text.
    #[schemars(extend("format" = "regex"))]
    matches: Option<String>,
    /// The text has more characters than this.
    longer_than: Option<usize>,
    /// The text has fewer characters than this.
    shorter_than: Option<usize>,
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
        let UserParts { equals, contains, starts_with, ends_with, matches, .. } = parts;
        let UserParts { longer_than, shorter_than, ignore_case, .. } = parts;
        let joins_directly = match parts.join.as_deref() {
            None | Some("\n") => false,
            Some("") => true,
            Some(other) => {
                return Err(format!("join is {other:?}; expected \"\" or a line break"));
            }
        };
        let read = UserText { joins_directly, skips_empty: parts.skip_empty };
        let text = Parts {
            equals,
            contains,
            starts_with,
            ends_with,
            matches,
            longer_than,
            shorter_than,
            ignore_case,
        };
        Ok(Self { read, text: text.try_into()? })
    }
}

impl<'de> Deserialize<'de> for UserCondition {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        text_or_mapping(source)
    }
}

impl TextOrMapping for UserCondition {
    type Parts = UserParts;

    const EXPECTED: &'static str = TextCondition::EXPECTED;

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self { read: UserText::default(), text: TextCondition::contains(text) })
    }
}
