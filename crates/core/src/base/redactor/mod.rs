//! Removes secrets from what is shown.
//!
//! There is one definition, which docs/control.md describes: known secrets and texts that look like one,
//! anywhere, and the values of keys with the names of secrets, in JSON and in JSON in texts.

mod members;
mod unescaped;

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;
use serde_json::{Map, Value};

use self::{
    members::Members,
    unescaped::{Unescaped, unescape},
};
use crate::base::secrets::{REDACTED, is_secret_name};

/// Shorter secrets are also found in other texts.
const MIN_UNESCAPED: usize = 4;

/// Values that look like secrets, with what precedes them.
#[expect(clippy::expect_used, reason = "the pattern is constant and valid")]
static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let bearer = r"bearer(?u:\s)+(?<token>[a-z0-9._~+/=-]{6,})";
    let keys = r"sk-[a-z0-9_-]{8,}|[rs]k_(?:live|test)_[a-z0-9]{8,}";
    // The beginnings of ASCII letters alone are few enough to search for all of them at once.
    Regex::new(&format!(r"(?i-u)\b(?:{bearer}|{keys})")).expect("valid pattern")
});

/// Removes secrets from requests, answers and texts.
#[derive(Debug, Default)]
pub struct Redactor {
    /// Finds the secrets that are known, in texts without escapes.
    known: Option<AhoCorasick>,
}

/// A secret in a text.
struct Found<'t> {
    /// Where it is.
    place: Range<usize>,
    /// The quotes of what replaces it.
    quote: &'t str,
}

impl Redactor {
    /// Returns the redactor that knows no secrets, and finds those that look like one.
    pub fn of_patterns() -> &'static Self {
        static OF_PATTERNS: Redactor = Redactor { known: None };
        &OF_PATTERNS
    }

    /// Creates a redactor that knows these secrets.
    #[expect(clippy::expect_used, reason = "fails only for patterns of gigabytes")]
    pub fn new(secrets: &[String]) -> Self {
        let known: Vec<_> = secrets.iter().map(|secret| unescape(secret)).collect();
        let known = known.iter().filter(|secret| secret.len() >= MIN_UNESCAPED);
        let known: Vec<&str> = known.map(AsRef::as_ref).collect();
        let build = || {
            let mut builder = AhoCorasick::builder();
            let builder = builder.ascii_case_insensitive(true);
            builder.match_kind(MatchKind::LeftmostLongest).build(&known).expect("small patterns")
        };
        Self { known: (!known.is_empty()).then(build) }
    }

    /// Returns a text without secrets.
    pub fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let unescaped = Unescaped::new(text);
        let mut found = self.find(text, &unescaped);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_unstable_by_key(|found| found.place.start);
        let (mut redacted, mut end) = (String::new(), 0);
        for Found { place, quote } in found {
            if place.start >= end {
                redacted.push_str(text.get(end..place.start).unwrap_or_default());
                redacted.extend([quote, REDACTED, quote]);
            }
            end = end.max(place.end);
        }
        redacted.push_str(text.get(end..).unwrap_or_default());
        Cow::Owned(redacted)
    }

    fn find<'t>(&self, text: &'t str, unescaped: &Unescaped<'_>) -> Vec<Found<'t>> {
        let readable = unescaped.text();
        let known = self.known.iter().flat_map(|known| known.find_iter(readable));
        let known = known.map(|found| found.range());
        // Most texts have none, and searching for groups takes longer.
        let similar = PATTERN.find_iter(readable).filter_map(|found| {
            let found = PATTERN.captures_at(readable, found.start())?;
            found.name("token").or_else(|| found.get(0)).map(|found| found.range())
        });
        let origin =
            |range: Range<usize>| unescaped.origin(range.start)..unescaped.origin(range.end);
        let plain = |range| Found { place: origin(range), quote: "" };
        let member = |secret: members::SecretValue| {
            let quote = secret.quote.and_then(|quote| text.get(quote));
            Found { place: secret.place, quote: quote.unwrap_or_default() }
        };
        let members = Members::of(unescaped).map(member);
        let all = known.chain(similar).map(plain).chain(members);
        all.filter(|found| !found.place.is_empty()).collect()
    }

    /// Removes the secrets from a value.
    pub fn redact(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.redact_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact(item)),
            Value::Object(members) => self.redact_members(members),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Removes the secrets from a text.
    pub fn redact_text(&self, text: &mut String) {
        if let Cow::Owned(redacted) = self.redacted(text) {
            *text = redacted;
        }
    }

    /// Removes the secrets from the value of a key, or all of it if the key has the name of a secret.
    pub fn redact_named(&self, name: &str, value: &mut Value) {
        if is_secret_name(name) { hide(value) } else { self.redact(value) }
    }

    fn redact_members(&self, members: &mut Map<String, Value>) {
        for (name, value) in members.iter_mut() {
            match value {
                Value::Object(schemas) if name == "properties" => self.redact_properties(schemas),
                _ => self.redact_named(name, value),
            }
        }
        if members.keys().any(|name| matches!(self.redacted(name), Cow::Owned(_))) {
            let named = std::mem::take(members).into_iter();
            *members =
                named.map(|(name, value)| (self.redacted(&name).into_owned(), value)).collect();
        }
    }
}

/// Hides the value of a key with the name of a secret.
fn hide(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::String(text) if text.is_empty() => {}
        _ => *value = REDACTED.into(),
    }
}

/// The keywords whose values are shown in the schema of a secret.
const SHOWN: [&str; 12] = [
    "$ref",
    "additionalProperties",
    "description",
    "format",
    "maxItems",
    "maxLength",
    "minItems",
    "minLength",
    "pattern",
    "required",
    "title",
    "type",
];
/// The keywords whose values are like the secret.
const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

impl Redactor {
    /// Removes the secrets from the properties of a schema.
    fn redact_properties(&self, properties: &mut Map<String, Value>) {
        for (name, schema) in properties {
            if is_secret_name(name) {
                self.redact_schema(schema);
            } else {
                self.redact(schema);
            }
        }
    }

    /// Removes the secrets from the schema of a secret.
    fn redact_schema(&self, schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                for (name, value) in members {
                    match name.as_str() {
                        name if VALUES.contains(&name) => hide(value),
                        name if SHOWN.contains(&name) && !value.is_object() => self.redact(value),
                        _ => self.redact_schema(value),
                    }
                }
            }
            Value::Array(schemas) => schemas.iter_mut().for_each(|it| self.redact_schema(it)),
            _ => hide(schema),
        }
    }
}
