//! Rewords the messages of the readers of files and bodies, which name Rust's types.

use super::text::shorten;

/// Maximum number of characters of a key or a value. Clients limit the size of errors.
const MAX_SEEN: usize = 60;

/// Returns the reworded message of a reader without the place at its end.
pub fn reason(message: &str, mapping: &str) -> String {
    let (message, _) = message.rsplit_once(" at line ").unwrap_or((message, ""));
    reworded(message, mapping)
}

/// Returns the message of a reader without the names of Rust's types. `mapping` is what the format calls
/// a mapping, such as `an object`.
pub fn reworded(message: &str, mapping: &str) -> String {
    let (message, place) = match message.rfind(" at line ") {
        Some(at) => message.split_at(at),
        None => (message, ""),
    };
    let mismatch = ["invalid type: ", "invalid value: "];
    let mismatch = mismatch.iter().find_map(|start| message.strip_prefix(start));
    // What is seen may be any text, so the last one counts.
    let mismatch = mismatch.and_then(|it| it.rsplit_once(", expected "));
    let reworded = if let Some(rest) = message.strip_prefix("unknown field ") {
        unknown("key", rest)
    } else if let Some(rest) = message.strip_prefix("unknown variant ") {
        unknown("value", rest)
    } else if let Some(key) = message.strip_prefix("missing field ") {
        format!("the key {key} is missing")
    } else if let Some(key) = message.strip_prefix("duplicate field ") {
        format!("duplicate key {key}")
    } else if let Some((seen, expected)) = mismatch {
        let seen = shorten(seen_value(seen, mapping), MAX_SEEN);
        format!("must be {}, not {seen}", expected_value(expected, mapping))
    } else if let Some(expected) = wrong_length(message) {
        format!("must be {}, not a list", expected_value(expected, mapping))
    } else {
        message.to_owned()
    };
    reworded + place
}

/// Rewords that a key or a value is not one of those that are known.
fn unknown(what: &str, rest: &str) -> String {
    // What is seen may be any text, so the last one counts.
    let (seen, known) = match rest.rfind("`, expected ") {
        Some(at) => (&rest[..at], &rest[at + "`, ".len()..]),
        None => (rest.trim_end_matches("`, there are no fields"), "expected none"),
    };
    let seen = seen.strip_prefix('`').unwrap_or(seen).escape_debug().to_string();
    format!("unknown {what} `{}`; {known}", shorten(&seen, MAX_SEEN))
}

/// Returns what is expected in place of a list, which serde also accepts for a struct if it has as many
/// values as the struct has fields.
fn wrong_length(message: &str) -> Option<&str> {
    let (_, expected) = message.strip_prefix("invalid length ")?.split_once(", expected ")?;
    Some(expected)
}

/// Rewords what a value must be.
fn expected_value(expected: &str, mapping: &str) -> String {
    let text = match expected {
        "a sequence" => "a list",
        "a map" => mapping,
        "a string" | "string or map" | "str" | "variant identifier" => "a text",
        "a boolean" | "bool" => "true or false",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        other if other.starts_with("struct ") => mapping,
        other => other,
    };
    text.to_owned()
}

/// Rewords what a value is.
fn seen_value<'v>(seen: &'v str, mapping: &'v str) -> &'v str {
    let quoted = ["integer `", "floating point `", "boolean `", "character `"];
    let quoted = quoted.iter().find_map(|start| seen.strip_prefix(start)?.strip_suffix('`'));
    match seen {
        "sequence" => "a list",
        "map" => mapping,
        "unit value" | "Option value" | "null" => "null",
        _ => quoted.or_else(|| seen.strip_prefix("string ")).unwrap_or(seen),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, de::DeserializeOwned};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "is only read")]
    struct Values {
        whole: u64,
        number: Option<f64>,
        list: Option<Vec<i8>>,
        map: Option<BTreeMap<String, bool>>,
        kind: Option<Kind>,
        text: Option<String>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        One,
        Two,
    }

    fn error<T: DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
        reworded(&serde_json::from_str::<T>(json).unwrap_err().to_string(), "an object")
    }

    #[test]
    fn messages_have_no_names_of_types() {
        let errors = [
            r#"{"whole": 1, "size": 2}"#,
            r#"{}"#,
            r#"{"whole": 1, "whole": 1}"#,
            r#"{"whole": -1}"#,
            r#"{"whole": "a, expected b"}"#,
            r#"{"whole": 1.5}"#,
            r#"{"whole": null}"#,
            r#"{"whole": {}}"#,
            r#"{"whole": 1, "number": []}"#,
            r#"{"whole": 1, "list": {}}"#,
            r#"{"whole": 1, "list": [300]}"#,
            r#"{"whole": 1, "map": true}"#,
            r#"{"whole": 1, "map": {"a": 1}}"#,
            r#"{"whole": 1, "kind": "three"}"#,
            r#"{"whole": 1, "kind": 3}"#,
            r#"{"whole": 1, "text": 3}"#,
            r#"[]"#,
            r#"7"#,
            r#"{"whole""#,
        ];
        insta::assert_snapshot!(errors.map(error::<Values>).join("\n"), @r#"
        unknown key `size`; expected one of `whole`, `number`, `list`, `map`, `kind`, `text` at line 1 column 19
        the key `whole` is missing at line 1 column 2
        duplicate key `whole` at line 1 column 20
        must be a whole number that is not negative, not -1 at line 1 column 12
        must be a whole number that is not negative, not "a, expected b" at line 1 column 25
        must be a whole number that is not negative, not 1.5 at line 1 column 13
        must be a whole number that is not negative, not null at line 1 column 14
        must be a whole number that is not negative, not an object at line 1 column 10
        must be a number, not a list at line 1 column 23
        must be a list, not an object at line 1 column 21
        must be a whole number, not 300 at line 1 column 25
        must be an object, not true at line 1 column 24
        must be true or false, not 1 at line 1 column 27
        unknown value `three`; expected `one` or `two` at line 1 column 28
        expected value at line 1 column 22
        must be a text, not 3 at line 1 column 22
        must be an object, not a list at line 1 column 2
        must be an object, not 7 at line 1 column 1
        EOF while parsing an object at line 1 column 8
        "#);
    }
}
