//! Tests of the paths to invalid values, with which readers of files find their places.

use crate::{Chain, StepError, steps::PathSegment};

fn error(document: &str) -> StepError {
    Chain::parse(serde_json::from_str(document).unwrap()).unwrap_err()
}

/// Returns the path as a JSON Pointer.
fn path(error: &StepError) -> String {
    let segments = error.path().map(|segment| match segment {
        PathSegment::Key(key) => format!("/{key}"),
        PathSegment::Index(index) => format!("/{index}"),
    });
    segments.collect()
}

#[test]
fn errors_have_the_path_to_the_value() {
    let cases = [
        (r#"{"messages":[{"text":1}]}"#, "/messages/0/text"),
        (r#"{"instruction_chain":[{"delay":"1s"},{"delay":1}]}"#, "/instruction_chain/1/delay"),
        (r#"{"instruction_chain":[]}"#, "/instruction_chain"),
        (r#"{"messages":[{"tool_call":[{"name":""}]}]}"#, "/messages/0/tool_call/0/name"),
        (r#"{"messages":[{"tool_call":[]}]}"#, "/messages/0/tool_call"),
        (r#"{"messages":[{"text":"a"},{}]}"#, "/messages/1"),
        (r#"{"error":{"code":"X"}}"#, "/error/code"),
        (
            r#"{"error":{"code":"ABORTED","details":{"reason":"R","metadata":{"a":1}}}}"#,
            "/error/details/metadata/a",
        ),
        (r#"{"messages":[{"error":{"code":"ABORTED"}},{"text":"never"}]}"#, "/messages/1"),
        (r#"{"messages":[]}"#, ""),
    ];
    for (document, expected) in cases {
        let error = error(document);
        assert_eq!((path(&error).as_str(), error.is_about_key()), (expected, false), "{document}");
    }
}

#[test]
fn errors_about_keys_have_the_path_to_the_key() {
    let cases = [
        (r#"{"mesages":[]}"#, "/mesages", "unknown key `mesages`; expected one of `id`"),
        (
            r#"{"messages":[{"txt":1}]}"#,
            "/messages/0/txt",
            "unknown key `txt`; expected one of `text`",
        ),
        (r#"{"delay":"1s","delay":"2s"}"#, "/delay", "duplicate key `delay`"),
    ];
    for (document, expected, message) in cases {
        let error = error(document);
        assert_eq!((path(&error).as_str(), error.is_about_key()), (expected, true), "{document}");
        assert!(error.message().starts_with(message), "{error}");
    }
}
