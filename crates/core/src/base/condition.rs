//! Conditions on texts, as files state them.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
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
    parts: Vec<Part>,
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

/// A part of a condition. Texts are in lower case if the case does not matter.
#[derive(Debug, Clone)]
pub enum Part {
    /// The whole text is this one.
    Equals(String),
    /// The text contains this one.
    Contains(String),
    /// The text starts with this one.
    StartsWith(String),
    /// The text ends with this one.
    EndsWith(String),
    /// The text has more characters than this.
    LongerThan(usize),
    /// The text has fewer characters than this.
    ShorterThan(usize),
    /// The pattern matches somewhere in the text.
    Matches(Pattern),
}

/// Defines a mapping with the keys of a condition on a text and others. Its method `text` takes the
/// condition, if there is one.
#[macro_export]
macro_rules! text_keys {
    (
        $(#[$of_struct:meta])*
        $vis:vis struct $name:ident {
            $($(#[$of_key:meta])* $key:ident: $type:ty,)*
        }
    ) => {
        $(#[$of_struct])*
        $vis struct $name {
            /// The whole text. A number or a boolean stands for its JSON.
            equals: Option<$crate::base::condition::WholeText>,
            /// A part of the text.
            contains: Option<String>,
            /// The beginning of the text.
            starts_with: Option<String>,
            /// The end of the text.
            ends_with: Option<String>,
            /// A regular expression that matches somewhere in the text. Templates of rules can use its
            /// named groups.
            matches: Option<String>,
            /// The text has more characters than this.
            longer_than: Option<usize>,
            /// The text has fewer characters than this.
            shorter_than: Option<usize>,
            /// Whether upper and lower case are equal.
            #[serde(default)]
            ignore_case: bool,
            $($(#[$of_key])* $key: $type,)*
        }

        impl $name {
            fn text(&mut self) -> Result<Option<$crate::base::condition::TextCondition>, String> {
                use $crate::base::{condition::{Part, TextCondition}, pattern::Pattern};
                let compile = |pattern: String| Pattern::compile(&pattern, self.ignore_case);
                let parts = [
                    self.equals.take().map(|whole| Part::Equals(whole.0)),
                    self.contains.take().map(Part::Contains),
                    self.starts_with.take().map(Part::StartsWith),
                    self.ends_with.take().map(Part::EndsWith),
                    self.longer_than.map(Part::LongerThan),
                    self.shorter_than.map(Part::ShorterThan),
                    self.matches.take().map(compile).transpose()?.map(Part::Matches),
                ];
                TextCondition::new(parts.into_iter().flatten().collect(), self.ignore_case)
            }
        }
    };
}

text_keys! {
    /// A condition on a text. All its parts must hold.
    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[schemars(rename = "TextConditionParts", extend("anyOf" = having(&PARTS)))]
    pub struct Parts {}
}

/// A text that another one must equal. A number or a boolean stands for its JSON.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Value")]
#[schemars(inline, with = "String", extend("type" = ["string", "number", "boolean"]))]
pub struct WholeText(pub String);

impl TextCondition {
    /// Creates a condition. Returns `None` if it has no parts.
    pub fn new(mut parts: Vec<Part>, ignore_case: bool) -> Result<Option<Self>, String> {
        check_lengths(&parts)?;
        for part in parts.iter_mut().filter(|_| ignore_case) {
            if let Some(text) = part.text_mut() {
                *text = text.to_lowercase();
            }
        }
        Ok((!parts.is_empty()).then_some(Self { parts, ignore_case }))
    }

    fn of_part(part: Part) -> Self {
        Self { parts: vec![part], ignore_case: false }
    }

    /// The condition that a text contains another one.
    pub fn contains(part: impl Into<String>) -> Self {
        Self::of_part(Part::Contains(part.into()))
    }

    /// The condition that a regular expression matches somewhere in a text.
    pub fn matches(pattern: Pattern) -> Self {
        Self::of_part(Part::Matches(pattern))
    }

    /// The condition that a text equals another one.
    pub fn equals(whole: impl Into<String>) -> Self {
        Self::of_part(Part::Equals(whole.into()))
    }

    /// Returns `true` if all parts of the condition hold.
    pub fn holds(&self, text: &str) -> bool {
        self.failed_part(text).is_none()
    }

    /// Returns the pattern that the text must match.
    pub fn pattern(&self) -> Option<&Regex> {
        self.compiled().map(Pattern::regex)
    }

    fn compiled(&self) -> Option<&Pattern> {
        self.parts.iter().find_map(|part| match part {
            Part::Matches(pattern) => Some(pattern),
            _ => None,
        })
    }

    /// Returns the work of checking a text of this length, in steps.
    pub fn work(&self, text: usize) -> usize {
        let compared = if self.ignore_case { FOLDING.saturating_mul(text) } else { text };
        let searched = self.compiled().map_or(0, |pattern| pattern.work(text));
        compared.saturating_add(searched)
    }

    /// Returns the text that the whole text must equal, in lower case if the case does not matter.
    pub fn whole(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            Part::Equals(whole) => Some(&**whole),
            _ => None,
        })
    }

    /// Returns the texts that the text must contain, in lower case if the case does not matter.
    pub fn contained(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Contains(text) | Part::StartsWith(text) | Part::EndsWith(text) => Some(&**text),
            _ => None,
        })
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
        let parts: Vec<_> = self.parts.iter().map(|part| self.describe(part, 0)).collect();
        parts.join(" and ")
    }

    fn failed_part(&self, text: &str) -> Option<&Part> {
        let folded =
            if self.ignore_case { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) };
        self.parts.iter().find(|part| match part {
            Part::Equals(whole) => folded != *whole,
            Part::Contains(part) => !folded.contains(&**part),
            Part::StartsWith(start) => !folded.starts_with(&**start),
            Part::EndsWith(end) => !folded.ends_with(&**end),
            Part::LongerThan(length) => text.chars().count() <= *length,
            Part::ShorterThan(length) => text.chars().count() >= *length,
            Part::Matches(pattern) => !pattern.regex().is_match(text),
        })
    }

    /// Describes a part. Of a long text, leaves out what is far before `place`, in characters.
    fn describe(&self, part: &Part, place: usize) -> String {
        let case = if self.ignore_case { ", ignoring case" } else { "" };
        let shorten_at = |text: &str| {
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
                format!("a text of more than {}", count(*length, "character"))
            }
            Part::ShorterThan(length) => {
                format!("a text of less than {}", count(*length, "character"))
            }
            Part::Matches(pattern) => {
                format!("a match of /{}/{case}", shorten(pattern.regex().as_str(), MAX_SHOWN))
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

impl Part {
    fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Equals(text)
            | Self::Contains(text)
            | Self::StartsWith(text)
            | Self::EndsWith(text) => Some(text),
            Self::LongerThan(_) | Self::ShorterThan(_) | Self::Matches(_) => None,
        }
    }
}

impl TryFrom<Parts> for TextCondition {
    type Error = String;

    fn try_from(mut parts: Parts) -> Result<Self, String> {
        parts.text()?.ok_or_else(empty)
    }
}

/// Returns the error of a condition without parts.
pub fn empty() -> String {
    format!("the condition is empty; expected one of {}", PARTS.join(", "))
}

/// Checks that there are texts with these lengths.
fn check_lengths(parts: &[Part]) -> Result<(), String> {
    let (mut min, mut max) = (None, None);
    for part in parts {
        match part {
            Part::LongerThan(length) => min = Some(*length),
            Part::ShorterThan(length) => max = Some(*length),
            _ => {}
        }
    }
    match (min, max) {
        (None, Some(0)) => Err("shorter_than is 0; expected at least 1".to_owned()),
        (Some(min), Some(max)) if max.saturating_sub(min) < 2 => {
            Err(format!("no text has more than {min} and less than {max} characters"))
        }
        _ => Ok(()),
    }
}

impl TryFrom<Value> for WholeText {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        match value {
            Value::String(text) => Ok(Self(text)),
            Value::Null => Err("equals must be a text, not null"),
            Value::Bool(_) | Value::Number(_) => Ok(Self(value.to_string())),
            Value::Array(_) => Err("equals must be a text, not a list"),
            Value::Object(_) => Err("equals must be a text, not a mapping"),
        }
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
