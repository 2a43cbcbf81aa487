//! Checks that the schema and the parser accept the same documents.

use std::sync::LazyLock;

use insta::assert_snapshot;
use mynah_core::base::json_schema::Schema;
use serde_json::Value;

use super::documents::{INVALID, INVALID_BEYOND_SCHEMA, VALID};
use crate::{Chain, chain_schema};

pub(super) static COMPILED: LazyLock<Schema> =
    LazyLock::new(|| Schema::compile(&chain_schema()).unwrap());

/// Parses a document. Returns an error as text.
pub(super) fn parse(document: &str) -> Result<Chain, String> {
    Chain::parse(serde_json::from_str(document).unwrap()).map_err(|error| error.to_string())
}

#[test]
fn accepts_valid_documents() {
    for document in VALID {
        assert_eq!(parse(document).err(), None, "{document}");
        assert!(COMPILED.is_valid(&serde_json::from_str(document).unwrap()), "{document}");
    }
}

#[test]
fn rejects_invalid_documents() {
    for (document, error) in INVALID {
        assert_eq!(parse(document).err().as_deref(), Some(*error), "{document}");
        let value: Value = serde_json::from_str(document).unwrap();
        assert!(!COMPILED.is_valid(&value), "{document}");
    }
}

#[test]
fn rejects_what_the_schema_cannot_express() {
    for (document, error) in INVALID_BEYOND_SCHEMA {
        assert_eq!(parse(document).err().as_deref(), Some(*error), "{document}");
    }
}

#[test]
fn rejects_errors_too_long_for_headers() {
    let message = |length: usize| {
        format!(r#"{{"error":{{"code":"ABORTED","message":"{}"}}}}"#, "é".repeat(length))
    };
    let metadata = |count: usize| {
        let members: Vec<_> = (0..count).map(|n| format!(r#""{n}":"x""#)).collect();
        let metadata = members.join(",");
        let details = format!(r#"{{"reason":"R","metadata":{{{metadata}}}}}"#);
        format!(r#"{{"error":{{"code":"ABORTED","details":{details}}}}}"#)
    };
    for (document, valid) in
        [(message(500), true), (message(501), false), (metadata(8), true), (metadata(9), false)]
    {
        assert_eq!(parse(&document).is_ok(), valid, "{document}");
        assert_eq!(COMPILED.is_valid(&serde_json::from_str(&document).unwrap()), valid);
    }
    assert_snapshot!(parse(&message(501)).unwrap_err(), @"step 1, error, message: must have at most 500 characters");
    assert_snapshot!(parse(&metadata(9)).unwrap_err(), @"step 1, error, details, metadata: must have at most 8 keys of at most 64 characters");
}

#[test]
fn quotes_long_keys_truncated_on_one_line() {
    let error = parse(&format!(r#"{{"\n{}":1}}"#, "k".repeat(1000))).unwrap_err();
    assert!(error.starts_with(r"step 1: unknown key `\nkkkk"), "{error}");
    assert!(error.len() < 400, "{error}");
}
