//! Conditions on texts, as files state them.

use std::borrow::Cow;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use super::{
    pattern::Pattern,
    schema_keys::having,
    text::{count, difference, shorten, shorten_beginning},
    text_or_mapping::{TextOrMapping, text_or_mapping},
};

/// The keys of which a condition has at least one.
pub const PARTS: [&str; 7] =
    ["equals", "contains", "starts_with", "ends_with", "matches", "longer_than", "shorter_than"];

/// Maximum number of characters of a text in a description.
const MAX_SHOWN: usize = 200;
/// How many characters are shown before the first difference of two long texts.
const MAX_COMMON: usize = 30;
/// The steps for each byte that is compared if the case of letters does not matter.
const FOLDING: usize = 8;

/// A condition on a text. A string is short for `contains`.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(with = "Source")]
pub struct TextCondition {
    equals: Option<String>,
    contains: Option<String>,
    starts_with: Option<String>,
    ends_with: Option<String>,
    matches: Option<Pattern>,
    longer_than: Option<usize>,
    shorter_than: Option<usize>,
    ignore_case: bool,
}

/// The schema of a condition.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the format only")]
enum Source {
    Contains(String),
    Parts(Parts),
}

/// A condition on a text. All its parts must hold.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "TextConditionParts",
    extend("anyOf" = having(&PARTS))
)]
pub struct Parts {
    /// The whole text. A number or a boolean stands for its JSON.
    #[serde(default, deserialize_with = "whole_text")]
    #[schemars(extend("type" = ["string", "number", "boolean", "null"]))]
    pub equals: Option<String>,
    /// A part of the text.
    pub contains: Option<String>,
    /// The beginning of the text.
    pub starts_with: Option<String>,
    /// The end of the text.
    pub ends_with: Option<String>,
    /// A regular expression that matches somewhere in the text.
    #[schemars(extend("format" = "regex"))]
    pub matches: Option<String>,
    /// The text has more characters than this.
    pub longer_than: Option<usize>,
    /// The text has fewer characters than this.
    pub shorter_than: Option<usize>,
    /// Whether upper and lower case are equal.
    #[serde(default)]
    pub ignore_case: bool,
}

impl TextCondition {
    /// The condition that a text contains another one.
    pub fn contains(part: impl Into<String>) -> Self {
        Self { contains: Some(part.into()), ..Self::default() }
    }

    /// The condition that a regular expression matches somewhere in a text.
    pub fn matches(pattern: Pattern) -> Self {
        Self { matches: Some(pattern), ..Self::default() }
    }

    /// The condition that a text equals another one.
    pub fn equals(whole: impl Into<String>) -> Self {
        Self { equals: Some(whole.into()), ..Self::default() }
    }

    /// Returns `true` if all parts of the condition hold.
    pub fn holds(&self, text: &str) -> bool {
        self.failed_part(text).is_none()
    }

    /// Returns the pattern that the text must match.
    pub fn pattern(&self) -> Option<&Regex> {
        self.matches.as_ref().map(Pattern::regex)
    }

    /// Returns the work of checking a text of this length, in steps.
    pub fn work(&self, text: usize) -> usize {
        let compared = if self.ignore_case { FOLDING.saturating_mul(text) } else { text };
        let searched = self.matches.as_ref().map_or(0, |pattern| pattern.work(text));
        compared.saturating_add(searched)
    }

    /// Returns the text that the whole text must equal, in lower case if the case does not matter.
    pub fn whole(&self) -> Option<&str> {
        self.equals.as_deref()
    }

    /// Returns the texts that the text must contain, in lower case if the case does not matter.
    pub fn contained(&self) -> impl Iterator<Item = &str> {
        let parts = [&self.contains, &self.starts_with, &self.ends_with];
        parts.into_iter().flatten().map(String::as_str)
    }

    /// Returns `true` if upper and lower case are equal.
    pub fn ignores_case(&self) -> bool {
        self.ignore_case
    }

    /// Describes the first part of the condition that does not hold.
    pub fn failure<'t>(&self, text: &'t str) -> Option<Failure<'t>> {
        let part = self.failed_part(text)?;
        let place = match part {
            Part::Equals(expected) | Part::StartsWith(expected) => difference(expected, text),
            _ => 0,
        };
        let seen = match part {
            Part::EndsWith(_) => shorten_beginning(text, text.chars().count(), MAX_SHOWN - 1),
            _ => shorten_beginning(text, place, MAX_COMMON),
        };
        Some(Failure { expected: self.describe(part, place), seen })
    }

    /// Describes the whole condition.
    pub fn description(&self) -> String {
        let parts: Vec<_> = self.parts().map(|part| self.describe(part, 0)).collect();
        parts.join(" and ")
    }

    fn failed_part(&self, text: &str) -> Option<Part<'_>> {
        let folded =
            if self.ignore_case { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) };
        self.parts().find(|part| match part {
            Part::Equals(whole) => folded != *whole,
            Part::Contains(part) => !folded.contains(part),
            Part::StartsWith(start) => !folded.starts_with(start),
            Part::EndsWith(end) => !folded.ends_with(end),
            Part::LongerThan(length) => text.chars().count() <= *length,
            Part::ShorterThan(length) => text.chars().count() >= *length,
            Part::Matches(pattern) => !pattern.is_match(text),
        })
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let equals = self.equals.as_deref().map(Part::Equals);
        let contains = self.contains.as_deref().map(Part::Contains);
        let starts_with = self.starts_with.as_deref().map(Part::StartsWith);
        let ends_with = self.ends_with.as_deref().map(Part::EndsWith);
        let longer_than = self.longer_than.map(Part::LongerThan);
        let shorter_than = self.shorter_than.map(Part::ShorterThan);
        let matches = self.pattern().map(Part::Matches);
        let parts = [equals, contains, starts_with, ends_with, longer_than, shorter_than, matches];
        parts.into_iter().flatten()
    }

    /// Describes a part. Of a long text, leaves out what is far before `place`, in characters.
    fn describe(&self, part: Part<'_>, place: usize) -> String {
        let case = if self.ignore_case { ", ignoring case" } else { "" };
        let shorten_at = |text| {
            let end = shorten_beginning(text, place, MAX_COMMON);
            shorten(&end, MAX_SHOWN).into_owned()
        };
        match part {
            Part::Equals(whole) => format!("{:?}{case}", shorten_at(whole)),
            Part::Contains(part) => {
                format!("a text that contains {:?}{case}", shorten(part, MAX_SHOWN))
            }
            Part::StartsWith(start) => {
                format!("a text that starts with {:?}{case}", shorten_at(start))
            }
            Part::EndsWith(end) => {
                format!("a text that ends with {:?}{case}", shorten(end, MAX_SHOWN))
            }
            Part::LongerThan(length) => {
                format!("a text of more than {}", count(length, "character"))
            }
            Part::ShorterThan(length) => {
                format!("a text of less than {}", count(length, "character"))
            }
            Part::Matches(pattern) => {
                format!("a match of /{}/{case}", shorten(pattern.as_str(), MAX_SHOWN))
            }
        }
    }
}

/// How a text differs from a condition.
pub struct Failure<'t> {
    /// Describes what the condition expects.
    pub expected: String,
    /// The text, without most of what it has in common with the condition.
    pub seen: Cow<'t, str>,
}

/// A part of a condition.
#[derive(Clone, Copy)]
enum Part<'c> {
    Equals(&'c str),
    Contains(&'c str),
    StartsWith(&'c str),
    EndsWith(&'c str),
    LongerThan(usize),
    ShorterThan(usize),
    Matches(&'c Regex),
}

impl TryFrom<Parts> for TextCondition {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Self, String> {
        if parts.is_empty() {
            return Err(format!("the condition is empty; expected one of {}", PARTS.join(", ")));
        }
        let Parts { equals, contains, starts_with, ends_with, matches, .. } = parts;
        let Parts { longer_than, shorter_than, ignore_case, .. } = parts;
        check_lengths(longer_than, shorter_than)?;
        let folded = |text: String| if ignore_case { text.to_lowercase() } else { text };
        let matches = matches.map(|pattern| Pattern::compile(&pattern, ignore_case)).transpose()?;
        let [equals, contains, starts_with, ends_with] =
            [equals, contains, starts_with, ends_with].map(|part| part.map(folded));
        Ok(Self {
            equals,
            contains,
            starts_with,
            ends_with,
            matches,
            longer_than,
            shorter_than,
            ignore_case,
        })
    }
}

impl Parts {
    /// Returns `true` if there is no condition.
    pub fn is_empty(&self) -> bool {
        let texts =
            [&self.equals, &self.contains, &self.starts_with, &self.ends_with, &self.matches];
        let lengths = [self.longer_than, self.shorter_than];
        texts.iter().all(|part| part.is_none()) && lengths.iter().all(Option::is_none)
    }
}

/// Checks that there are texts with these lengths.
fn check_lengths(longer_than: Option<usize>, shorter_than: Option<usize>) -> Result<(), String> {
    let Some(shorter_than) = shorter_than else { return Ok(()) };
    match longer_than {
        None if shorter_than == 0 => Err("shorter_than is 0; expected at least 1".to_owned()),
        Some(longer_than) if shorter_than.saturating_sub(longer_than) < 2 => Err(format!(
            "no text has more than {longer_than} and less than {shorter_than} characters"
        )),
        _ => Ok(()),
    }
}

/// Reads the text that another text must equal.
pub fn whole_text<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(source)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        scalar @ (Value::Bool(_) | Value::Number(_)) => Ok(Some(scalar.to_string())),
        Value::Array(_) => Err(D::Error::custom("equals must be a text, not a list")),
        Value::Object(_) => Err(D::Error::custom("equals must be a text, not a mapping")),
    }
}

impl<'de> Deserialize<'de> for TextCondition {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        text_or_mapping(source)
    }
}

impl TextOrMapping for TextCondition {
    type Parts = Parts;

    const EXPECTED: &'static str = "a text that is contained, or a condition such as {equals: a}";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self::contains(text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn condition(source: Value) -> TextCondition {
        serde_json::from_value(source).unwrap()
    }

    #[test]
    fn all_parts_must_hold() {
        let cases = [
            (json!("hell"), true),
            (json!("Hell"), false),
            (json!({ "equals": "hello world" }), true),
            (json!({ "equals": "hello" }), false),
            (json!({ "starts_with": "hello", "contains": "world" }), true),
            (json!({ "starts_with": "hello", "contains": "word" }), false),
            (json!({ "starts_with": "world" }), false),
            (json!({ "matches": r"o\s+w" }), true),
            (json!({ "matches": "^world" }), false),
            (json!({ "equals": "HELLO World", "ignore_case": true }), true),
            (json!({ "matches": "LD$", "ignore_case": true }), true),
            (json!({ "equals": "hello world", "matches": "x" }), false),
            (json!({ "ends_with": "world" }), true),
            (json!({ "ends_with": "hello" }), false),
            (json!({ "ends_with": "WORLD", "ignore_case": true }), true),
            (json!({ "longer_than": 10 }), true),
            (json!({ "longer_than": 11 }), false),
            (json!({ "shorter_than": 12 }), true),
            (json!({ "shorter_than": 11 }), false),
        ];
        for (source, expected) in cases {
            assert_eq!(condition(source.clone()).holds("hello world"), expected, "{source}");
        }
    }

    #[test]
    fn lengths_are_in_characters() {
        let two = condition(json!({ "longer_than": 1, "shorter_than": 3 }));
        for (text, expected) in [("äö", true), ("ä", false), ("äöü", false), ("", false)] {
            assert_eq!(two.holds(text), expected, "{text}");
        }
        // In lower case, this text has three characters.
        assert!(condition(json!({ "shorter_than": 3, "ignore_case": true })).holds("İa"));
    }

    #[test]
    fn numbers_and_booleans_equal_their_json() {
        for (whole, text) in [(json!(7), "7"), (json!(1.5), "1.5"), (json!(true), "true")] {
            assert!(condition(json!({ "equals": whole })).holds(text), "{text}");
        }
        let null = condition(json!({ "equals": null, "contains": "a" }));
        assert!(null.holds("banana"));
    }

    #[test]
    fn invalid_conditions_are_rejected() {
        let error = |source: Value| {
            serde_json::from_value::<TextCondition>(source).unwrap_err().to_string()
        };
        let errors = [
            json!({}),
            json!({ "matches": "(" }),
            json!(["a"]),
            json!({ "equal": "a" }),
            json!({ "equals": ["a"] }),
            json!({ "shorter_than": 0 }),
            json!({ "longer_than": 5, "shorter_than": 6 }),
        ];
        insta::assert_snapshot!(errors.map(error).join("\n"), @r#"
        the condition is empty; expected one of equals, contains, starts_with, ends_with, matches, longer_than, shorter_than
        the pattern "(" is invalid: unclosed group
        invalid type: sequence, expected a text that is contained, or a condition such as {equals: a}
        unknown field `equal`, expected one of `equals`, `contains`, `starts_with`, `ends_with`, `matches`, `longer_than`, `shorter_than`, `ignore_case`
        equals must be a text, not a list
        shorter_than is 0; expected at least 1
        no text has more than 5 and less than 6 characters
        "#);
    }
}
