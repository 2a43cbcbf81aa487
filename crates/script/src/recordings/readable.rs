//! Which values are read again as they are written, without trying it.
//!
//! A writer and a reader of YAML may differ about rare characters, long keys and templates. Most values have
//! none of those.

use mynah_core::base::{mapping::Mapping, template::is_template};
use serde::Deserialize;
use serde_json::{Number, Value};

use crate::steps::StepSource;

/// Maximum nesting depth. That of a file is higher.
const MAX_DEPTH: usize = 32;
/// Maximum length of a key. That of YAML is higher.
const MAX_KEY: usize = 128;

/// Returns the number of values, including keys.
pub(super) fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count).sum::<usize>() + 1,
        Value::Object(members) => members.values().map(|value| count(value) + 1).sum::<usize>() + 1,
        _ => 1,
    }
}

/// Returns `true` if each reader of YAML reads a value as each writer writes it.
pub(super) fn is_common(value: &Value) -> bool {
    is_common_within(value, MAX_DEPTH)
}

fn is_common_within(value: &Value, depth: usize) -> bool {
    let is_inner = |value| depth > 0 && is_common_within(value, depth - 1);
    match value {
        Value::Null | Value::Bool(_) => true,
        Value::Number(number) => is_common_number(number),
        Value::String(text) => is_common_text(text),
        Value::Array(items) => items.iter().all(is_inner),
        Value::Object(members) => {
            members.iter().all(|(key, value)| is_common_key(key) && is_inner(value))
        }
    }
}

fn is_common_number(number: &Number) -> bool {
    !number.is_f64() || !number.to_string().contains(['e', 'E'])
}

fn is_common_key(key: &str) -> bool {
    let is_common = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.-".contains(&byte);
    key.len() <= MAX_KEY
        && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '$')
        && key.bytes().all(is_common)
}

/// Returns `true` if each reader of YAML reads a text as each writer writes it.
pub(super) fn is_common_text(text: &str) -> bool {
    // Readers remove whitespace at the ends, and in long lines that are folded.
    let is_trimmed = text.trim().len() == text.len();
    is_trimmed
        && (text.bytes().all(is_common_ascii) || text.chars().all(is_common_char))
        && (text.contains('\n') || !text.contains("  "))
        && !is_template(text)
}

fn is_common_ascii(byte: u8) -> bool {
    matches!(byte, b'\n' | b' '..=b'~')
}

fn is_common_char(char: char) -> bool {
    match char {
        '\0'..='\x7f' => is_common_ascii(char as u8),
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        other => other > '\u{a0}',
    }
}

/// Returns `true` if a step without templates is valid as the answer of a rule.
pub(super) fn is_valid_step(step: &Value) -> bool {
    let source = Mapping::<StepSource<'_>>::deserialize(step);
    let step = source.ok().and_then(|Mapping(source)| source.check().ok());
    step.is_some_and(|step| step.times.is_none())
}

#[cfg(test)]
mod tests {
    use mynah_core::base::yaml::{parse_own, to_json};
    use proptest::{collection::vec, prelude::*, sample::select};
    use serde_json::json;

    use super::*;

    /// What YAML treats in a special way, and words.
    fn text() -> impl Strategy<Value = String> {
        let special = select(vec![
            "-",
            "- ",
            "? ",
            ": ",
            ":",
            " #",
            "#",
            "&a",
            "*a",
            "!b",
            "!!str ",
            "|",
            ">-",
            "'",
            "\"",
            "\\n",
            "\n",
            "\n\n",
            "\n  ",
            " \n",
            "%",
            "@",
            "`",
            "---",
            "\n---\n",
            "...",
            "~",
            "null",
            "yes",
            "0x1F",
            "1_000",
            ".inf",
            "2026-11-27",
            "12:30:45",
            "<<",
            "=",
            "[",
            "]",
            "{",
            "}",
            ",",
            " ",
            "é😀",
            "\u{a1}",
            "\u{3000}",
            "’",
        ]);
        let word = prop_oneof![
            special.prop_map(str::to_owned),
            "[ -~]{0,9}",
            "[a-z]{1,30} ",
            "[a-z]{80,90}"
        ];
        vec(word, 0..16).prop_map(|words| words.concat())
    }

    fn value() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            any::<f32>().prop_map(Value::from),
        ];
        let scalar =
            prop_oneof![4 => text().prop_map(Value::String), 1 => number, 1 => Just(json!(null))];
        scalar.prop_recursive(4, 24, 4, |inner| {
            let key = prop_oneof!["[a-zA-Z$][a-zA-Z0-9_.$-]{0,9}", "yes|null|on|y|No|true"];
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(Value::Array),
                vec((key, inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn common_values_are_read_as_they_are_written(value in value()) {
            prop_assume!(is_common(&value));
            let written = serde_saphyr::to_string(&json!([{ "a": value, "b": [value] }])).unwrap();
            let tree = parse_own(&format!("rules:\n{written}")).unwrap().unwrap();
            let read: Value = serde_json::from_str(&to_json(tree.root.field("rules").unwrap())).unwrap();
            prop_assert_eq!(&read, &json!([{ "a": value, "b": [value] }]), "{}", written);
            prop_assert_eq!(tree.root.field("rules").unwrap().size().values, count(&read));
        }
    }

    #[test]
    fn knows_what_is_not_common() {
        for common in [
            json!("a\n  b"),
            json!("é – 😀"),
            json!({ "$ref": [0.5, -1, true, null] }),
            json!("a: b # c"),
        ] {
            assert!(is_common(&common), "{common}");
        }
        let deep = (0..40).fold(json!("a"), |inner, _| json!([inner]));
        for rare in [
            json!(" a"),
            json!("a\t"),
            json!("{{ a }}"),
            json!("a\u{feff}b"),
            json!({ "<<": 1 }),
            json!({ "a b": 1 }),
            json!(1e300),
        ] {
            assert!(!is_common(&rare), "{rare}");
        }
        assert!(!is_common(&deep));
        assert!(!is_common(&json!({ "a".repeat(200): 1 })));
    }

    #[test]
    fn knows_valid_steps() {
        let recorded = json!({ "date": "2026-11-27", "duration": "1ms" });
        let messages = json!([{ "text": "hi" }]);
        let reason = |reason: &str| json!({ "messages": messages, "finish_reason": reason, "recorded": recorded });
        assert!(is_valid_step(&reason("stop")));
        assert!(!is_valid_step(&reason(&"long".repeat(20))));
        let failed = json!({ "error": { "code": "INTERNAL", "message": "no" } });
        assert!(is_valid_step(&failed));
        let mut repeated = failed;
        repeated["times"] = json!(2);
        assert!(!is_valid_step(&repeated));
    }
}
