//! Conditions on the last user message.

use mynah_core::{
    base::{
        condition::{PARTS, TextCondition, empty},
        schema_keys::having,
        text_or_mapping::{TextOrMapping, text_or_mapping},
    },
    text_keys,
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

text_keys! {
    /// A condition on the last user message. All its parts must hold.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[schemars(rename = "UserConditionParts", extend("anyOf" = having(&PARTS)))]
    pub(super) struct UserParts {
        /// What joins the parts of the message: a line break, or nothing.
        #[schemars(extend("enum" = ["\n", "", null]))]
        join: Option<String>,
        /// Whether user messages without text do not count.
        #[serde(default)]
        skip_empty: bool,
    }
}

impl TryFrom<UserParts> for UserCondition {
    type Error = String;

    fn try_from(mut parts: UserParts) -> Result<Self, String> {
        let joins_directly = match parts.join.as_deref() {
            None | Some("\n") => false,
            Some("") => true,
            Some(other) => {
                return Err(format!("join is {other:?}; expected \"\" or a line break"));
            }
        };
        let read = UserText { joins_directly, skips_empty: parts.skip_empty };
        Ok(Self { read, text: parts.text()?.ok_or_else(empty)? })
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
