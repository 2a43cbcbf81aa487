//! Tests properties of all arguments, with random texts and random tools.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::sentences;
use crate::{
    determinism::requests::Generator,
    support::{
        Sidecar,
        messages::{prompt, tool},
    },
};

const REQUESTS: usize = 300;

/// Values as a user writes them, and as arguments.
const VALUES: [(&str, &str); 22] = [
    ("Berlin", "Berlin"),
    ("Lake Garda", "Lake Garda"),
    ("oslo", "oslo"),
    ("Ada Lovelace", "Ada Lovelace"),
    ("ann@example.org", "ann@example.org"),
    ("bo@example.org", "bo@example.org"),
    ("2025-06-01", "2025-06-01"),
    ("July 14th, 2025", "2025-07-14"),
    ("09:30", "09:30"),
    ("17", "17"),
    ("three", "3"),
    ("60321", "60321"),
    ("$45.60", "45.6"),
    ("250 EUR", "250"),
    ("19%", "19"),
    ("ABC-123", "ABC-123"),
    ("AAPL", "AAPL"),
    ("French", "French"),
    ("\"Trip\"", "Trip"),
    ("'see you'", "see you"),
    ("https://example.org/a", "https://example.org/a"),
    ("+15555550123", "+15555550123"),
];

const WORDS: [&str; 22] = [
    "from",
    "to",
    "cc",
    "on",
    "in",
    "at",
    "until",
    "under",
    "for",
    "with",
    "named",
    "titled",
    "subject",
    "order",
    "ticket",
    "passengers",
    "guests",
    "and",
    "not",
    "the",
    ",",
    ".",
];

/// Properties whose value may be the whole message or a member of an `enum`.
fn is_excluded(name: &str, schema: &Value) -> bool {
    let texts = ["body", "expression", "message", "query", "text"];
    texts.contains(&name) || schema.to_string().contains("enum")
}

/// Returns a text that repeats no value.
fn text(generator: &mut Generator) -> String {
    let mut text = "Call test_tool.".to_owned();
    let mut left = VALUES.to_vec();
    for _ in 0..generator.below(9) {
        for _ in 0..generator.below(3) {
            text += " ";
            text += generator.pick(&WORDS);
        }
        let (written, _) = left.remove(generator.below(left.len()));
        text += " ";
        text += written;
    }
    text
}

/// Counts the strings and numbers in a value.
fn count(value: &Value, counts: &mut BTreeMap<String, usize>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| count(item, counts)),
        Value::Object(members) => members.values().for_each(|member| count(member, counts)),
        Value::String(text) => *counts.entry(text.clone()).or_default() += 1,
        other => *counts.entry(other.to_string()).or_default() += 1,
    }
}

#[tokio::test]
async fn stated_values_are_used_once_and_only_if_they_are_valid() {
    let sidecar = Sidecar::start();
    let mut generator = Generator::default();
    let properties: Vec<_> = sentences::all_properties()
        .into_iter()
        .filter(|(name, it)| !is_excluded(name, it))
        .collect();
    let mut used = 0;
    for _ in 0..REQUESTS {
        let text = text(&mut generator);
        let chosen: Map<_, _> =
            (0..8).map(|_| properties[generator.below(properties.len())].clone()).collect();
        let schema = json!({"type": "object", "properties": chosen, "additionalProperties": false});
        let request = prompt(&text, [tool("test_tool", schema.clone())]);
        let answer = sidecar.converse(request).await.expect("an answer");
        let arguments = &answer.calls[0].arguments;
        let options = jsonschema::options().should_validate_formats(true);
        let valid = options.build(&schema).expect("a schema").validate(arguments);
        assert!(valid.is_ok(), "{valid:?}\n{text}\n{schema}\n{arguments}");
        let mut counts = BTreeMap::new();
        count(arguments, &mut counts);
        let times = VALUES.map(|(_, value)| counts.get(value).copied().unwrap_or_default());
        assert!(times.iter().all(|times| *times <= 1), "{text}\n{schema}\n{arguments}");
        used += times.iter().sum::<usize>();
    }
    assert!(used > REQUESTS / 2, "{used} values used");
}
