//! Removes secrets before something is shown.

use std::{borrow::Cow, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;
use serde_json::Value;

use super::markers::{Found, Markers};
use crate::{base::secrets::is_secret_name, chat::Response, wire::sent::SentRequest};

/// Maximum number of texts within each other that are read as JSON.
const MAX_NESTED: usize = 4;

/// The text that replaces a secret.
pub(crate) const REDACTED: &str = "[redacted]";

/// Values that look like secrets, with what precedes them.
#[expect(clippy::expect_used, reason = "the pattern is constant and valid")]
static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(bearer\s+)[a-z0-9._~+/=-]{6,}|\bsk-[a-z0-9_-]{8,}").expect("valid pattern")
});

/// Removes secrets from requests and texts.
#[derive(Debug)]
pub(crate) struct Redactor {
    /// Finds what may contain a secret.
    markers: Markers,
    /// The secrets that are known.
    secrets: Option<AhoCorasick>,
}

impl Redactor {
    /// Creates a redactor that knows these secrets.
    #[expect(clippy::expect_used, reason = "fails only for patterns of gigabytes")]
    pub(crate) fn new(secrets: &[String]) -> Self {
        let escaped = secrets.iter().map(|secret| {
            let json = Value::from(secret.as_str()).to_string();
            json.trim_matches('"').to_owned()
        });
        let mut known: Vec<String> = secrets.iter().cloned().chain(escaped).collect();
        known.retain(|secret| !secret.is_empty());
        known.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
        known.dedup();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let automaton = || {
            let mut builder = AhoCorasick::builder();
            let builder = builder.ascii_case_insensitive(true);
            let builder = builder.match_kind(MatchKind::LeftmostFirst);
            builder.build(&known).expect("small patterns")
        };
        let secrets = (!known.is_empty()).then(automaton);
        Self { markers: Markers::new(&known), secrets }
    }

    /// Returns `true` if a text may contain a secret.
    fn is_suspicious(&self, text: &str) -> bool {
        self.markers.are_in_text(text.as_bytes())
    }

    /// Returns a request without secrets.
    pub(crate) fn redacted_request(&self, request: &SentRequest) -> SentRequest {
        let mut request = request.clone();
        self.redact_request(&mut request);
        request
    }

    /// Removes the secrets from a request. A malformed request that may contain some is removed as a
    /// whole, because it does not show where they end.
    fn redact_request(&self, request: &mut SentRequest) {
        let found = if request.is_json() {
            self.markers.in_json(request.body())
        } else {
            self.markers.in_protobuf(request.body())
        };
        match found {
            Found::Nothing => {}
            Found::Words if request.is_well_formed() => {}
            Found::Words => request.replace(&REDACTED.into()),
            Found::Secrets => match request.parsed() {
                Some(mut json) => {
                    if self.redact_json(&mut json) {
                        request.replace(&json);
                    }
                }
                None => request.replace(&REDACTED.into()),
            },
        }
    }

    /// Removes the secrets from a text.
    fn redact(&self, text: &mut String) {
        if self.is_suspicious(text)
            && let Cow::Owned(redacted) = self.redacted(text)
        {
            *text = redacted;
        }
    }

    /// Removes the secrets from a response.
    pub(crate) fn redact_response(&self, response: &mut Response) {
        self.redact_answer(&mut response.reasoning);
        self.redact_answer(&mut response.content);
        if let Some(model) = &mut response.model {
            self.redact(model);
        }
        for call in &mut response.tool_calls {
            self.redact_answer(&mut call.arguments);
        }
    }

    /// Removes the secrets from a part of a response, which may be JSON.
    fn redact_answer(&self, text: &mut String) {
        if text.starts_with(['{', '[']) && self.markers.in_json(text.as_bytes()) == Found::Secrets {
            self.redact_json_text(text, 0);
        } else {
            self.redact(text);
        }
    }

    /// Returns a text without secrets.
    pub(crate) fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let known = match &self.secrets {
            Some(secrets) if secrets.is_match(text) => {
                let replacements = vec![REDACTED; secrets.patterns_len()];
                Cow::Owned(secrets.replace_all(text, &replacements))
            }
            _ => Cow::Borrowed(text),
        };
        let replacement = format!("${{1}}{REDACTED}");
        match PATTERN.replace_all(&known, replacement.as_str()) {
            Cow::Owned(redacted) => Cow::Owned(redacted),
            Cow::Borrowed(_) => known,
        }
    }

    /// Removes the secrets from a text that may be JSON, in which names tell secrets. Returns `true` if
    /// there were any.
    fn redact_json_text(&self, text: &mut String, depth: usize) -> bool {
        let mut found = false;
        if depth < MAX_NESTED
            && text.trim_start().starts_with(['{', '['])
            && let Ok(mut nested) = serde_json::from_str::<Value>(text)
            && self.redact_nested(&mut nested, depth + 1)
        {
            *text = nested.to_string();
            found = true;
        }
        if let Cow::Owned(redacted) = self.redacted(text) {
            *text = redacted;
            found = true;
        }
        found
    }

    /// Removes the secrets from a value. Returns `true` if there were any.
    fn redact_json(&self, value: &mut Value) -> bool {
        self.redact_nested(value, 0)
    }

    /// Removes the secrets from a value that is in this many texts.
    fn redact_nested(&self, value: &mut Value, depth: usize) -> bool {
        match value {
            Value::String(text) => self.redact_json_text(text, depth),
            Value::Array(items) => {
                let found = items
                    .iter_mut()
                    .filter_map(|item| self.redact_nested(item, depth).then_some(()));
                found.count() > 0
            }
            Value::Object(members) => {
                let mut found = false;
                let mut redacted = serde_json::Map::new();
                for (mut name, mut value) in std::mem::take(members) {
                    found |= is_secret_name(&name) && redact_secret(&mut value);
                    found |= self.redact_nested(&mut value, depth);
                    if let Cow::Owned(text) = self.redacted(&name) {
                        name = text;
                        found = true;
                    }
                    redacted.insert(name, value);
                }
                *members = redacted;
                found
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

/// Redacts the value of a key with the name of a secret: a text, a list of texts, or a parameter,
/// which is an object with its type. Other objects may be JSON Schemas. Returns `true` if it was
/// redacted.
fn redact_secret(value: &mut Value) -> bool {
    match value {
        Value::String(text) if !text.is_empty() => REDACTED.clone_into(text),
        Value::Array(items) => {
            return items.iter_mut().filter_map(|it| redact_secret(it).then_some(())).count() > 0;
        }
        Value::Object(members) if members.contains_key("@type") => {
            let values = members.iter_mut().filter(|(name, _)| *name != "@type");
            values.for_each(|(_, value)| *value = REDACTED.into());
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::*;

    fn redacted(text: &str) -> String {
        let mut text = text.to_owned();
        Redactor::new(&["hunter\"2".to_owned(), "p/q+r==".to_owned()]).redact(&mut text);
        text
    }

    #[test]
    fn redacts_what_looks_like_a_secret() {
        let cases = [
            ("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted]"),
            ("key sk-proj-0123456789abc!", "key [redacted]!"),
            ("is hunter\"2 or hunter\\\"2", "is [redacted] or [redacted]"),
            ("p/q+r==", "[redacted]"),
            ("a risk-assessment by the bearer of news", "a risk-assessment by the bearer of news"),
            ("nothing here", "nothing here"),
        ];
        for (text, expected) in cases {
            assert_eq!(redacted(text), expected);
        }
    }

    #[test]
    fn redacts_values_of_secret_keys_and_escaped_texts() {
        let body = r#"{"metadata": {"X-Api-Key": "abc", "other": "sk\u002d0123456789"},
            "parameters": {"token": {"@type": "t", "value": 1}}, "max_tokens": 5,
            "tools": [{"properties": {"password": {"type": "string", "default": "sk-0123456789"}}}],
            "headers": {"authorization": ["abc", ["def"]]}}"#;
        let mut request = SentRequest::openai(&Bytes::from_static(body.as_bytes()));
        Redactor::new(&[]).redact_request(&mut request);
        let expected = json!({
            "metadata": {"X-Api-Key": REDACTED, "other": REDACTED},
            "parameters": {"token": {"@type": "t", "value": REDACTED}},
            "max_tokens": 5,
            "tools": [{"properties": {"password": {"type": "string", "default": REDACTED}}}],
            "headers": {"authorization": [REDACTED, [REDACTED]]},
        });
        assert_eq!(request.to_json(), expected);
    }

    #[test]
    fn redacts_json_in_texts() {
        let secret = json!({"a": 1, "api_key": "x"});
        let twice = json!({"inner": secret.to_string(), "other": [secret]}).to_string();
        let body = json!({"messages": [{"content": secret.to_string()}, {"content": twice}]});
        let mut request = SentRequest::openai(&body.to_string().into());
        Redactor::new(&[]).redact_request(&mut request);
        let redacted = json!({"a": 1, "api_key": REDACTED});
        let twice = json!({"inner": redacted.to_string(), "other": [redacted]}).to_string();
        let expected = json!({"messages": [{"content": redacted.to_string()}, {"content": twice}]});
        assert_eq!(request.to_json(), expected);
    }

    #[test]
    fn keeps_requests_without_secrets_as_they_are() {
        let body = Bytes::from_static(br#"{"password": 1,  "a": "cookie"}"#);
        let mut request = SentRequest::openai(&body);
        Redactor::new(&[]).redact_request(&mut request);
        assert_eq!(request.body(), &body[..]);
    }

    #[test]
    fn removes_malformed_requests_with_secrets() {
        let nested = format!("{}\"api-key\": \"abc\"{}", "{\"a\":".repeat(200), "}".repeat(200));
        let unquoted = "{'password': 'abc'}".to_owned();
        for body in ["{\"api-key\": \"abc\",}".to_owned(), unquoted, nested] {
            let mut request = SentRequest::openai(&body.into());
            Redactor::new(&[]).redact_request(&mut request);
            assert_eq!(request.to_json(), REDACTED);
        }
        let harmless = Bytes::from_static(b"{'a': 'b'}");
        let mut request = SentRequest::openai(&harmless);
        Redactor::new(&[]).redact_request(&mut request);
        assert_eq!(request.body(), &harmless[..]);
    }
}
