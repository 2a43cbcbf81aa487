//! Tests of the reader and the schema of faults.

use mynah_core::base::json_schema::Schema;
use serde_json::Value;

use super::{FaultTarget, Faults, schema};

const VALID: &[&str] = &[
    r#"{"error":{"code":"UNAVAILABLE"}}"#,
    r#"[]"#,
    r#"[{"fail_first":2,"error":{"code":"ABORTED","retry_after":"1s","details":{"reason":"R"}}},{"delay":"1s"}]"#,
    r#"{"surfaces":["grpc","http","openai","component"],"every":3,"hang":true}"#,
    r#"{"probability":0.5,"seed":7,"cut_after":0,"delay":"5ms"}"#,
    r#"{"probability":1,"reset":true,"seed":null}"#,
    r#"{"malformed_args":true}"#,
    r#"{"malformed_args":"{","surfaces":null}"#,
    r#"{"empty":"choices","hang":null}"#,
    r#"{"error":{"code":"ABORTED"},"trailers_only":false,"surfaces":["grpc"]}"#,
    r#"{"error":{"code":"ABORTED"},"trailers_only":true,"surfaces":["component","grpc"]}"#,
];

const DOES_NOTHING: &str =
    "does nothing; expected one of: delay, error, hang, cut_after, reset, malformed_args, empty";

/// Invalid faults that the schema also rejects.
const INVALID: &[(&str, &str)] = &[
    ("1", "must be an object or a list of objects, not 1"),
    (r#"[1]"#, "fault 1: must be an object, not 1"),
    (
        r#"{"fail":1}"#,
        "unknown key `fail`; expected one of `surfaces`, `fail_first`, `every`, `probability`, `seed`, `delay`, `error`, `trailers_only`, `hang`, `cut_after`, `reset`, `malformed_args`, `empty`",
    ),
    (r#"[{"hang":true},{"hang":1}]"#, "fault 2, hang: must be true or false, not 1"),
    (r#"{"hang":false}"#, "hang: must be true or absent"),
    (r#"{"reset":"yes"}"#, r#"reset: must be true or false, not "yes""#),
    (r#"{"malformed_args":1}"#, "malformed_args: must be true or a string, not 1"),
    (r#"{"hang":true,"surfaces":[]}"#, "surfaces: must not be empty"),
    (
        r#"{"hang":true,"surfaces":["grpc","rest"]}"#,
        "surface 2: unknown value `rest`; expected one of `grpc`, `http`, `openai`, `component`",
    ),
    (
        r#"{"hang":true,"fail_first":0}"#,
        "fail_first: must be a whole number from 1 to 1000000000, not 0",
    ),
    (r#"{"hang":true,"probability":1.5}"#, "probability: must be a number from 0 to 1"),
    (
        r#"{"error":{"code":"BUSY"}}"#,
        "error, code: unknown value `BUSY`; expected one of `CANCELLED`, `UNKNOWN`, `INVALID_ARGUMENT`, `DEADLINE_EXCEEDED`, `NOT_FOUND`, `ALREADY_EXISTS`, `PERMISSION_DENIED`, `RESOURCE_EXHAUSTED`, `FAILED_PRECONDITION`, `ABORTED`, `OUT_OF_RANGE`, `UNIMPLEMENTED`, `INTERNAL`, `UNAVAILABLE`, `DATA_LOSS`, `UNAUTHENTICATED`",
    ),
    (r#"{"cut_after":-1}"#, "cut_after: must be a whole number from 0 to 1000000, not -1"),
    ("{}", DOES_NOTHING),
    (r#"{"delay":null,"every":2,"hang":null}"#, DOES_NOTHING),
    (
        r#"{"empty":"all"}"#,
        "empty: unknown value `all`; expected one of `outputs`, `choices`, `message`",
    ),
];

/// Invalid faults that the schema does not express.
const INVALID_BEYOND_SCHEMA: &[(&str, &str)] = &[
    (
        r#"{"hang":true,"reset":true}"#,
        "has more than one of error, hang, cut_after, reset, malformed_args and empty; split it into several faults",
    ),
    (
        r#"{"hang":true,"every":2,"fail_first":2}"#,
        "has more than one of fail_first, every and probability; remove the others",
    ),
    (r#"{"hang":true,"seed":2}"#, "seed: needs probability"),
    (r#"{"hang":true,"trailers_only":true,"surfaces":["grpc"]}"#, "trailers_only: needs error"),
    (
        r#"{"error":{"code":"ABORTED"},"trailers_only":true}"#,
        r#"trailers_only: cannot be expressed on http and openai; set surfaces to ["grpc"], ["component"] or both"#,
    ),
    (
        r#"{"delay":"fast"}"#,
        r#"delay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s"#,
    ),
];

#[test]
fn reader_and_schema_agree() {
    let compiled = Schema::compile(&schema()).unwrap();
    let is_valid = |text: &str| compiled.is_valid(&serde_json::from_str::<Value>(text).unwrap());
    for text in VALID {
        assert_eq!(Faults::parse(text).map_err(|error| error.to_string()).err(), None, "{text}");
        assert!(is_valid(text), "{text}");
    }
    for (text, expected) in INVALID {
        assert_eq!(Faults::parse(text).unwrap_err().to_string(), *expected, "{text}");
        assert!(!is_valid(text), "{text}");
    }
    for (text, expected) in INVALID_BEYOND_SCHEMA {
        assert_eq!(Faults::parse(text).unwrap_err().to_string(), *expected, "{text}");
    }
}

#[test]
fn rejects_other_texts() {
    for text in ["", "{", "hang", r#"{"hang":true} x"#] {
        let error = Faults::parse(text).unwrap_err().to_string();
        assert!(error.starts_with("is not JSON: "), "{error}");
    }
    let many = format!("[{}]", vec![r#"{"hang":true}"#; 101].join(","));
    assert_eq!(Faults::parse(&many).unwrap_err().to_string(), "must have at most 100 faults");
}

#[test]
fn reads_targets() {
    let one = FaultTarget::parse(r#" {"component":"echo","session":"s","hang":true} "#).unwrap();
    assert_eq!((one.component.as_deref(), one.session.as_deref()), (Some("echo"), Some("s")));
    assert_eq!(one.faults, Faults::parse(r#"{"hang":true}"#).unwrap());
    let list = FaultTarget::parse(r#"{"faults":[{"hang":true}]}"#).unwrap();
    assert_eq!((list.component, list.session, &list.faults), (None, None, &one.faults));
    assert!(FaultTarget::parse(r#"{"faults":[]}"#).unwrap().faults.is_empty());
    let both = FaultTarget::parse(r#"{"faults":[],"hang":true}"#).unwrap_err();
    assert_eq!(both.to_string(), "has both faults and keys of a fault");
    let nested = FaultTarget::parse(r#"{"faults":[{"component":"echo"}]}"#).unwrap_err();
    assert!(nested.to_string().starts_with("fault 1: unknown key `component`"), "{nested}");
}
