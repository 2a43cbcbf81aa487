//! Removes secrets before something is stored.

use std::{borrow::Cow, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use serde_json::Value;

use crate::{base::secrets::is_secret_name, chat::Response, wire::sent::SentRequest};

/// The text that replaces a secret.
pub(crate) const REDACTED: &str = "[redacted]";

/// What a text with a secret contains, or the name of a key with a secret. JSON may escape a secret,
/// so escapes count as well. The short names are preceded by their length in protobuf and by a quote
/// in JSON.
const MARKERS: [&str; 24] = [
    "bearer",
    "sk-",
    "authorization",
    "api-key",
    "api_key",
    "apikey",
    "api-token",
    "api_token",
    "access_token",
    "access-token",
    "auth_token",
    "auth-token",
    "client_secret",
    "password",
    "cookie",
    "\"token\"",
    "\"secret\"",
    "\u{5}token",
    "\u{6}secret",
    "\\u",
    "\\/",
    "private_key",
    "accesskey",
    "credentials",
];

/// Values that look like secrets, with what precedes them.
#[expect(clippy::expect_used, reason = "the pattern is constant and valid")]
static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(bearer\s+)[a-z0-9._~+/=-]{6,}|\bsk-[a-z0-9_-]{8,}").expect("valid pattern")
});

/// Removes secrets from requests and texts.
#[derive(Debug)]
pub(crate) struct Redactor {
    /// Finds what may be, or may precede, a secret.
    markers: AhoCorasick,
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
        let automaton = |patterns: &[&str], kind| {
            let mut builder = AhoCorasick::builder();
            let builder = builder.ascii_case_insensitive(true).kind(kind);
            builder.match_kind(aho_corasick::MatchKind::LeftmostFirst).build(patterns)
        };
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let markers: Vec<&str> = MARKERS.into_iter().chain(known.iter().copied()).collect();
        let is_small = markers.iter().map(|marker| marker.len()).sum::<usize>() < 4096;
        let kind = is_small.then_some(AhoCorasickKind::DFA);
        let markers = automaton(&markers, kind).expect("small patterns");
        let secrets = (!known.is_empty()).then(|| automaton(&known, None).expect("small patterns"));
        Self { markers, secrets }
    }

    /// Returns `true` if the bytes may contain a secret.
    pub(crate) fn is_suspicious(&self, bytes: &[u8]) -> bool {
        self.markers.is_match(bytes)
    }

    /// Removes the secrets from a request.
    pub(crate) fn redact_request(&self, request: &mut SentRequest) {
        if self.is_suspicious(request.body()) {
            let mut json = request.to_json();
            if self.redact_json(&mut json) {
                request.replace(&json);
            }
        }
    }

    /// Removes the secrets from a text.
    pub(crate) fn redact(&self, text: &mut String) {
        if self.is_suspicious(text.as_bytes())
            && let Cow::Owned(redacted) = self.redacted(text)
        {
            *text = redacted;
        }
    }

    /// Removes the secrets from a response.
    pub(crate) fn redact_response(&self, response: &mut Response) {
        self.redact(&mut response.content);
        if let Some(model) = &mut response.model {
            self.redact(model);
        }
        for call in &mut response.tool_calls {
            self.redact(&mut call.arguments);
        }
    }

    fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
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

    /// Removes the secrets from a value. Returns `true` if there were any.
    fn redact_json(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.redacted(text) {
                Cow::Owned(redacted) => {
                    *text = redacted;
                    true
                }
                Cow::Borrowed(_) => false,
            },
            Value::Array(items) => {
                let found =
                    items.iter_mut().filter_map(|item| self.redact_json(item).then_some(()));
                found.count() > 0
            }
            Value::Object(members) => {
                let mut found = false;
                let mut redacted = serde_json::Map::new();
                for (mut name, mut value) in std::mem::take(members) {
                    found |= match &mut value {
                        Value::String(text) if is_secret_name(&name) && !text.is_empty() => {
                            REDACTED.clone_into(text);
                            true
                        }
                        value if is_secret_name(&name) => redact_wrapped(value),
                        value => self.redact_json(value),
                    };
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

/// Redacts the value of a parameter, which is an object with its type.
fn redact_wrapped(value: &mut Value) -> bool {
    let Some(members) = value.as_object_mut().filter(|it| it.contains_key("@type")) else {
        return false;
    };
    for (name, value) in members {
        if name != "@type" {
            *value = REDACTED.into();
        }
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
            "tools": [{"properties": {"password": {"type": "string"}}}]}"#;
        let mut request = SentRequest::openai(&Bytes::from_static(body.as_bytes()));
        Redactor::new(&[]).redact_request(&mut request);
        let expected = json!({
            "metadata": {"X-Api-Key": REDACTED, "other": REDACTED},
            "parameters": {"token": {"@type": "t", "value": REDACTED}},
            "max_tokens": 5,
            "tools": [{"properties": {"password": {"type": "string"}}}],
        });
        assert_eq!(request.to_json(), expected);
    }

    #[test]
    fn keeps_requests_without_secrets_as_they_are() {
        let body = Bytes::from_static(br#"{"password": 1,  "a": "cookie"}"#);
        let mut request = SentRequest::openai(&body);
        Redactor::new(&[]).redact_request(&mut request);
        assert_eq!(request.body(), &body[..]);
    }
}
