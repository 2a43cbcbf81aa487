//! Secrets are found in every form, and nothing else.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::wire::sent::{SentApi, SentRequest};

/// A known secret, with characters that are escaped in JSON.
const KNOWN: &str = "pla\"nt/ed\\é\n1";

fn redactor() -> Redactor {
    Redactor::new(&[KNOWN.to_owned()])
}

/// Texts with a secret, and the part that must not be shown.
fn secret() -> impl Strategy<Value = (String, &'static str)> {
    let texts = [
        (KNOWN.to_owned(), "nt/ed"),
        ("Authorization: Bearer planted.1".to_owned(), "planted"),
        ("sk-planted-12345".to_owned(), "planted"),
        ("sk_live_planted12345".to_owned(), "planted"),
        (json!({"a": 1, "api_key": "planted"}).to_string(), "planted"),
        (json!({"password": 420_420_420}).to_string(), "420420"),
        (json!({"token": {"a": ["planted", {}]}, "b": 1}).to_string(), "planted"),
        (json!({"clientSecret": [["planted"], 1]}).to_string(), "planted"),
        ("{'x-api-key': 'planted'}".to_owned(), "planted"),
        ("{\"password\" \n: \"planted\", unfinished".to_owned(), "planted"),
        ("{\"credentials\": [\"planted".to_owned(), "planted"),
    ];
    proptest::sample::select(texts.to_vec())
}

/// Puts a text into another one.
#[derive(Debug, Clone, Copy)]
enum Wrapping {
    Member,
    PrettyList,
    Prose,
    Fence,
    ByteOrderMark,
    Blanks,
    UnicodeEscapes,
}

impl Wrapping {
    fn apply(self, text: &str) -> String {
        match self {
            Self::Member => json!({"b": true, "content": text}).to_string(),
            Self::PrettyList => serde_json::to_string_pretty(&json!([text, 1])).unwrap(),
            Self::Prose => format!("It's \"the\" answer: {text} \u{2013} isn't it?"),
            Self::Fence => format!("Here:\n```json\n{text}\n```"),
            Self::ByteOrderMark => format!("\u{feff}{text}"),
            Self::Blanks => format!(" \n\t{text}"),
            Self::UnicodeEscapes => {
                let json = json!({"content": text}).to_string();
                json.replace("\\\"", "\\u0022").replace('-', "\\u002d").replace('/', "\\/")
            }
        }
    }
}

fn wrappings() -> impl Strategy<Value = Vec<Wrapping>> {
    use Wrapping::*;
    let all = [Member, PrettyList, Prose, Fence, ByteOrderMark, Blanks, UnicodeEscapes];
    proptest::collection::vec(proptest::sample::select(all.to_vec()), 0..=6)
}

proptest! {
    #[test]
    fn finds_every_secret((text, hidden) in secret(), wrappings in wrappings()) {
        let text = wrappings.iter().fold(text, |text, wrapping| wrapping.apply(&text));
        let redacted = redactor().redacted(&text).into_owned();
        prop_assert!(!redacted.contains(hidden), "{redacted}");
        prop_assert!(redacted.contains(REDACTED), "{redacted}");
        let mut value = json!({"messages": [text]});
        redactor().redact(&mut value);
        prop_assert!(!value.to_string().contains(hidden), "{value}");
    }

    #[test]
    fn keeps_valid_json_valid(secret in "[a-z\"\\\\é]{1,9}", depth in 0..5) {
        let text = json!({"token": secret, "secret": {"a": secret}, "password": 7}).to_string();
        let nest = |text: String, _| json!({"a": text}).to_string();
        let redacted = redactor().redacted(&(0..depth).fold(text, nest)).into_owned();
        let unnest = |text: String, _| {
            let json: Value = serde_json::from_str(&text).unwrap();
            json["a"].as_str().unwrap().to_owned()
        };
        let redacted: Value = serde_json::from_str(&(0..depth).fold(redacted, unnest)).unwrap();
        let expected = json!({"token": REDACTED, "secret": REDACTED, "password": REDACTED});
        prop_assert_eq!(redacted, expected);
    }

    #[test]
    fn keeps_other_texts(text in "[a-z \"':{}\\[\\]0-9.,\\\\-]{0,60}") {
        let is_harmless = |word: &str| !text.contains(word);
        prop_assume!(crate::base::secrets::last_words().chain(["sk", "bearer"]).all(is_harmless));
        prop_assert_eq!(&*redactor().redacted(&text), &*text);
    }
}

#[test]
fn shows_what_surrounds_a_secret() {
    let cases = [
        ("key sk-proj-0123456789abc!", "key [redacted]!"),
        ("is Bearer abc.def-123 ok", "is Bearer [redacted] ok"),
        ("{\"token\": \"a\", \"b\": 1}", "{\"token\": \"[redacted]\", \"b\": 1}"),
        (r#"{\"token\":{\"a\":1},\"b\":1}"#, r#"{\"token\":\"[redacted]\",\"b\":1}"#),
        ("{\"token\": [1, \"]\"], \"b\": 1}", "{\"token\": \"[redacted]\", \"b\": 1}"),
        ("a risk-assessment by the bearer of news", "a risk-assessment by the bearer of news"),
        ("\"max_tokens\": 5, \"token\": null", "\"max_tokens\": 5, \"token\": null"),
        ("the key of a \"token\", he said", "the key of a \"token\", he said"),
    ];
    for (text, expected) in cases {
        assert_eq!(redactor().redacted(text), expected);
    }
}

#[test]
fn redacts_values() {
    let mut value = json!({
        "metadata": {"X-Api-Key": "abc", "empty-token": "", "sk-0123456789": "b"},
        "token": {"@type": "t", "value": 1},
        "max_tokens": 5,
        "password": false,
        "properties": {
            "password": {"type": "string", "default": "x", "description": "Of the user"},
            "token": {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null"}], "x": "y"},
            "secret": "x",
        },
    });
    redactor().redact(&mut value);
    let expected = json!({
        "metadata": {"X-Api-Key": REDACTED, "empty-token": "", REDACTED: "b"},
        "token": REDACTED,
        "max_tokens": 5,
        "password": false,
        "properties": {
            "password": {"type": "string", "default": REDACTED, "description": "Of the user"},
            "token": {
                "anyOf": [{"type": "string", "enum": REDACTED}, {"type": "null"}], "x": REDACTED,
            },
            "secret": REDACTED,
        },
    });
    assert_eq!(value, expected);
}

/// Searching takes time that is linear in the length of a text. Otherwise this would take hours.
#[test]
fn searches_hostile_texts() {
    let texts = [
        "{\"token\":",
        "\"token\":\"\\",
        "[",
        "\\",
        "\\\"token\\\":{\"",
        "\"token\" ",
        "'token':[\"",
        "sk-",
        "bearer ",
        "\\u0022",
        "token-",
        "\"token\":1",
        "{\"a\":\"{\\\"token\\\":",
    ];
    for text in texts {
        let text = text.repeat((1 << 20) / text.len());
        assert!(redactor().redacted(&text).len() < 4 * text.len());
    }
}

#[test]
fn hides_undecodable_requests_with_secrets() {
    let shown = |body: &str| {
        let body = bytes::Bytes::copy_from_slice(body.as_bytes());
        redactor().readable(&SentRequest::json(SentApi::OpenAi, &body))
    };
    let nested = format!("{}\"api-key\": \"abc\"{}", "{\"a\":".repeat(200), "}".repeat(200));
    for body in ["{\"api-key\": \"abc\",}", "{'password': 'abc'}", &nested] {
        assert_eq!(shown(body), REDACTED);
    }
    for body in ["{'a': 'b'}", "{\"max_tokens\": 5,}"] {
        assert_eq!(shown(body), body);
    }
}
