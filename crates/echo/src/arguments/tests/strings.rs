//! Tests of strings generated from patterns, lengths, formats, property names and messages.

use serde_json::{Value, json};

use super::{Context, check, check_names, generate};

#[test]
fn generates_strings_by_pattern_and_length() {
    let text = |schema: Value, expected: &str| {
        let mut schema = schema;
        schema["type"] = json!("string");
        (schema, json!(expected))
    };
    check(&[
        text(json!({"minLength": 20}), "Test get it notexxxx"),
        text(json!({"maxLength": 6}), "Test g"),
        text(json!({"maxLength": 0}), ""),
        text(json!({"pattern": "^[A-Z]{3}-\\d{4}$"}), "AAA-1111"),
        text(json!({"pattern": "^a+$", "minLength": 5.0}), "aaaaa"),
        text(json!({"pattern": "^(ab)*c?$", "maxLength": 1}), ""),
        text(json!({"pattern": "foo", "minLength": 5}), "fooxx"),
        text(json!({"pattern": "^T"}), "Test get it note"),
        text(json!({"pattern": "^(cat|dog)s?$", "minLength": 4}), "cats"),
        text(json!({"format": "email", "minLength": 20}), "xxxxtest@example.com"),
        text(json!({"format": "email", "maxLength": 8}), "a@b.co"),
        text(json!({"format": "uri", "minLength": 25}), "https://example.com/xxxxx"),
        text(json!({"format": "hostname", "minLength": 15}), "x.x.example.com"),
        text(json!({"format": "uuid"}), "00000000-0000-4000-8000-000000000000"),
        text(json!({"format": "date"}), "2024-01-15"),
        text(json!({"format": "date-time"}), "2024-01-15T12:00:00Z"),
        text(json!({"format": "time"}), "12:00:00Z"),
        text(json!({"format": "color"}), "Test get it note"),
    ]);
}

#[test]
fn generates_strings_by_property_name() {
    check_names(
        "get_it",
        "Why?",
        &[
            ("city", "San Francisco"),
            ("homeCity", "San Francisco"),
            ("street", "123 Main St"),
            ("recipients", "test@example.com"),
            ("name", "Test User"),
            ("phone", "+15555550100"),
            ("country", "US"),
            ("zip_code", "94105"),
            ("url", "https://example.com"),
            ("date", "2024-01-15"),
            ("time", "12:00:00Z"),
            ("timeZone", "UTC"),
            ("currency", "USD"),
            ("language", "en"),
            ("query", "Why?"),
            ("message", "Why?"),
            ("expression", "Test get it expression"),
            ("title", "Test get it title"),
            ("userId", "Test get it user id"),
            ("", "Test get it"),
        ],
    );
}

#[test]
fn extracts_strings_from_the_message() {
    let message = "Mail bob@example.org about 3 * 4 in New York, please";
    check_names(
        "send_email",
        message,
        &[
            ("to", "bob@example.org"),
            ("cc", "test@example.com"),
            ("city", "New York"),
            ("expression", "3 * 4"),
            ("text", message),
        ],
    );
    check_names(
        "travel",
        "to bob@example.org",
        &[("to", "Test travel to"), ("town", "San Francisco")],
    );
    let context = Context { mention: "in Rome, ann@example.org", ..Context::default() };
    let schema = json!({"properties": {
        "city": {"type": "string", "maxLength": 3}, "cities": {"type": "array", "items": {"type": "string"}},
        "email": {"type": "string", "format": "email"}, "mail": {"type": "string", "format": "uri"}}});
    let expected = r#"{"cities":["Rome"],"city":"Tes","email":"ann@example.org","mail":"https://example.com"}"#;
    assert_eq!(generate(&schema, &context).json, expected);
}
