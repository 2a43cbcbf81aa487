//! The schema and the reader take the same documents.

use std::sync::LazyLock;

use insta::assert_snapshot;
use serde_json::Value;

use super::documents::{BEYOND_THE_SCHEMA, MISTAKES, VALID};
use crate::{
    base::json_schema::Schema,
    provider::scripted::{Chain, SCHEMA},
};

pub(super) static COMPILED: LazyLock<Schema> =
    LazyLock::new(|| Schema::compile(&serde_json::from_str(SCHEMA).unwrap()).unwrap());

/// What the reader says of a document.
pub(super) fn read(document: &str) -> Result<Chain, String> {
    Chain::read(serde_json::from_str(document).unwrap()).map_err(|mistake| mistake.to_string())
}

#[test]
fn every_valid_document_is_read_and_validates() {
    for document in VALID {
        assert_eq!(read(document).err(), None, "{document}");
        assert!(COMPILED.is_valid(&serde_json::from_str(document).unwrap()), "{document}");
    }
}

#[test]
fn every_mistake_is_named_and_does_not_validate() {
    for (document, said) in MISTAKES {
        assert_eq!(read(document).err().as_deref(), Some(*said), "{document}");
        let value: Value = serde_json::from_str(document).unwrap();
        assert!(!COMPILED.is_valid(&value), "{document}");
    }
}

#[test]
fn what_the_schema_cannot_say_is_named_all_the_same() {
    for (document, said) in BEYOND_THE_SCHEMA {
        assert_eq!(read(document).err().as_deref(), Some(*said), "{document}");
    }
}

#[test]
fn what_is_too_long_for_a_header_is_named() {
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
        assert_eq!(read(&document).is_ok(), valid, "{document}");
        assert_eq!(COMPILED.is_valid(&serde_json::from_str(&document).unwrap()), valid);
    }
    assert_snapshot!(read(&message(501)).unwrap_err(), @"step 1, error, message: must have at most 500 characters");
    assert_snapshot!(read(&metadata(9)).unwrap_err(), @"step 1, error, details, metadata: must have at most 8 keys of at most 64 characters");
}

#[test]
fn a_long_key_is_cut_and_stays_in_one_line() {
    let said = read(&format!(r#"{{"\n{}":1}}"#, "k".repeat(1000))).unwrap_err();
    assert!(said.starts_with(r#"step 1: unknown key "\nkkkk"#), "{said}");
    assert!(said.len() < 300, "{said}");
}
