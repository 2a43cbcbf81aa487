//! The intentional differences from daprd. docs/compatibility.md lists their reasons.

use serde_json::{Value, json};

use self::Change::{Answer, ErrorText, Exit};
use super::case::Case;
use crate::errors::NOT_SERVED;

/// An intentional difference from daprd.
struct Difference {
    reason: &'static str,
    /// The names of the cases. A name can contain one `*`, which matches any text.
    cases: &'static [&'static str],
    /// Turns daprd's answer into mynah's.
    change: Change,
}

enum Change {
    /// The error has this text.
    ErrorText(&'static str),
    /// The program exits with this code, and its output contains this text.
    Exit(i32, &'static str),
    /// This function changes the answer.
    Answer(fn(&mut Value)),
}

const fn differs(
    reason: &'static str,
    cases: &'static [&'static str],
    change: Change,
) -> Difference {
    Difference { reason, cases, change }
}

const JSON_TEXTS: &str =
    "these texts come from the JSON parser, and those of Go's parser are not stable";
const MORE_METHODS: &str = "mynah has methods that daprd lacks";
const ALL_PROBLEMS: &str =
    "mynah reports all problems, each with its file, its line and what would be valid";
const NO_SKIPPING: &str = "daprd skips such a component, which hides the error";
const FLAG_TEXTS: &str = "errors about flags have mynah's own messages";

const DIFFERENCES: &[Difference] = &[
    differs(
        "formatting error in the released daprd, fixed on its main branch",
        &[
            "a2-*-oneof-unset",
            "a2-*-oneof-unset-second",
            "a2-grpc-toolchoice-any",
            "a2-http-toolchoice-any",
            "a2-*-toolchoice-wrong-name",
            "a2-*-toolchoice-upper",
            "a2-*-toolchoice-required-no-tools",
        ],
        Answer(fix_formatting),
    ),
    differs(
        "a tool message without id and name is treated as text, as in Alpha1",
        &["a2-grpc-role-tool-no-id-no-name"],
        Answer(|answer| {
            *value_at(answer, "/message/outputs/0/choices/0/message/content") = json!("r");
            let usage = json!({"completionTokens": "1", "promptTokens": "1", "totalTokens": "2"});
            *value_at(answer, "/message/outputs/0/usage") = usage;
        }),
    ),
    differs(
        JSON_TEXTS,
        &["http-two-oneofs"],
        ErrorText(
            "failed deserializing HTTP body: proto: (line 1:108): \
              multiple fields provided for oneof 'message_types'",
        ),
    ),
    differs(
        JSON_TEXTS,
        &["http-json-array"],
        ErrorText(
            "failed deserializing HTTP body: proto: (line 1:1): \
              invalid type: sequence, expected a map",
        ),
    ),
    differs(
        JSON_TEXTS,
        &["http-json-null"],
        ErrorText(
            "failed deserializing HTTP body: proto: (line 1:4): \
              invalid type: null, expected a map",
        ),
    ),
    differs(
        JSON_TEXTS,
        &["http-wrong-type-string-for-array"],
        ErrorText(
            "failed deserializing HTTP body: proto: (line 1:13): \
              invalid type: string \"x\", expected a list",
        ),
    ),
    differs(
        JSON_TEXTS,
        &["http-wrong-type-number-for-text"],
        ErrorText(
            "failed deserializing HTTP body: proto: (line 1:55): \
              invalid type: integer `5`, expected a string",
        ),
    ),
    differs(
        JSON_TEXTS,
        &["http-trailing-garbage"],
        ErrorText(
            "failed deserializing HTTP body: proto: syntax error (line 1:17): \
              trailing characters",
        ),
    ),
    differs(
        JSON_TEXTS,
        &["http-bad-duration"],
        ErrorText(
            "failed deserializing HTTP body: proto: (line 1:99): \
              not a duration in seconds, such as \"86400s\"",
        ),
    ),
    differs(
        JSON_TEXTS,
        &["http-any-unknown-type"],
        ErrorText(
            "failed deserializing HTTP body: proto: (line 1:130): message 'foo.Bar' not found",
        ),
    ),
    differs(
        JSON_TEXTS,
        &["http-any-without-type"],
        ErrorText(
            "failed deserializing HTTP body: proto: (line 1:94): \
              invalid type: string \"v\", expected a map",
        ),
    ),
    differs(
        "daprd treats an unknown route as service invocation; mynah lists what it serves",
        &[
            "http-get-converse",
            "http-options-converse",
            "http-v1.0-converse",
            "http-unknown-*",
            "http-ctl-metadata-post",
            "headers-not-found",
        ],
        ErrorText(NOT_SERVED),
    ),
    differs(
        "a page on another site could otherwise call shutdown",
        &["headers-cors-*"],
        Answer(|answer| {
            *value_at(answer, "/status") = json!(403);
            *value_at(answer, "/body") = json!({
                "errorCode": "ERR_FORBIDDEN",
                "message": "the origin \"http://a.example\" is not on this machine; browser \
                    calls are limited to this machine and the hosts in --allowed-hosts",
            });
        }),
    ),
    differs(
        "mynah does not trace",
        &["headers-cors-*", "headers-metadata", "headers-not-found"],
        Answer(|answer| remove(answer, "/headers", "traceparent")),
    ),
    differs(
        "mynah does not trace",
        &["headers-grpc-*"],
        Answer(|answer| remove(answer, "/headers", "grpc-trace-bin")),
    ),
    differs(
        "daprd treats an unknown method as service invocation; mynah uses the standard code",
        &["grpc-unknown-unary-method"],
        Answer(|answer| *answer = json!({ "code": 12, "text": NOT_SERVED })),
    ),
    differs(
        MORE_METHODS,
        &["grpc-unknown-stream-method"],
        Answer(|answer| {
            *answer = json!({ "code": 3, "text": "failed finding conversation component " });
        }),
    ),
    differs(
        MORE_METHODS,
        &["grpc-health-check"],
        Answer(|answer| *answer = json!({ "message": {} })),
    ),
    differs(
        "mynah has a health service but no workflow service",
        &["grpc-reflection-with-app-id", "token-grpc-reflection-token-and-app-id"],
        Answer(|answer| {
            let reflection =
                ["v1", "v1alpha"].map(|v| format!("grpc.reflection.{v}.ServerReflection"));
            let [v1, v1alpha] = reflection;
            *answer = json!({
                "services": ["dapr.proto.runtime.v1.Dapr", "grpc.health.v1.Health", v1, v1alpha],
            });
        }),
    ),
    differs(
        "long request headers are harmless",
        &["http-header-8KiB"],
        Answer(|answer| *answer = json!({ "status": 204 })),
    ),
    differs(
        "mynah reports its version and has none of daprd's features",
        &[
            "http-ctl-metadata",
            "grpc-GetMetadata*",
            "headers-metadata",
            "http-token-metadata-right",
        ],
        Answer(|answer| {
            let place = if answer.get("message").is_some() { "/message" } else { "/body" };
            remove(answer, place, "enabledFeatures");
            answer.pointer_mut(place).unwrap()["extended"]["mynahVersion"] =
                json!(env!("CARGO_PKG_VERSION"));
        }),
    ),
    differs(
        "without component files, a default component is useful",
        &["start-no-resources-path"],
        Answer(|answer| *answer = json!({ "components": ["echo conversation.echo"] })),
    ),
    differs(
        "the flag accepts a single file as well as a folder",
        &["start-resources-path-is-a-file"],
        Answer(|answer| *answer = json!({ "components": [] })),
    ),
    differs(
        "a default application id is enough for tests",
        &["start-no-app-id"],
        Answer(|answer| *answer = json!({ "components": [] })),
    ),
    differs(NO_SKIPPING, &["start-bad-yaml-file"], Exit(1, "a.yaml:5:5: not valid YAML")),
    differs(NO_SKIPPING, &["start-name-missing"], Exit(1, "a.yaml:1:1: metadata.name is missing")),
    differs(
        NO_SKIPPING,
        &["start-name-with-slash"],
        Exit(1, "a.yaml:4:9: invalid metadata.name \"a/b\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-duplicate-same-file"],
        Exit(1, "a.yaml:13:9: duplicate component name \"echo\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-duplicate-two-files"],
        Exit(1, "b.yaml:4:9: duplicate component name \"echo\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-unknown-conversation-type"],
        Exit(1, "a.yaml:6:9: unknown spec.type \"conversation.nope\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-type-without-dot"],
        Exit(1, "a.yaml:6:9: unknown spec.type \"conversation\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-unknown-version"],
        Exit(1, "a.yaml:7:12: unknown spec.version \"v9\" for conversation.echo"),
    ),
    differs(
        "64 is the code for a usage error in sysexits.h",
        &["start-unknown-flag"],
        Exit(64, "unexpected argument '--bogus'"),
    ),
    differs(
        FLAG_TEXTS,
        &["start-bad-max-body-size"],
        Exit(64, "invalid value \"abc\" for --max-body-size"),
    ),
    differs(
        FLAG_TEXTS,
        &["start-grpc-port-in-use"],
        Exit(1, "the port is in use; choose another port with --dapr-grpc-port"),
    ),
    differs(
        "with more than twelve matches, daprd's choice depends on Go's unstable sort",
        &["a2-*-scrub-input-many"],
        Answer(|answer| {
            let root = if answer.get("message").is_some() { "/message" } else { "/body" };
            let content = format!("{root}/outputs/0/choices/0/message/content");
            *value_at(answer, &content) = json!(["<ZIP_CODE>"; 7].join(", "));
        }),
    ),
];

fn fix_formatting(answer: &mut Value) {
    let place = text_place(answer);
    let text = answer.pointer(place).and_then(Value::as_str).unwrap();
    let (start, rest) = text.split_once("%!(EXTRA ").unwrap();
    let (_, reason) = rest.split_once('=').unwrap();
    let fixed = format!("{start}: {}", reason.trim_end_matches(')'));
    *value_at(answer, place) = json!(fixed);
}

/// Returns the JSON pointer to the error text of an answer.
fn text_place(answer: &Value) -> &'static str {
    if answer.get("text").is_some() { "/text" } else { "/body/message" }
}

fn value_at<'a>(answer: &'a mut Value, place: &str) -> &'a mut Value {
    answer.pointer_mut(place).unwrap()
}

fn remove(answer: &mut Value, place: &str, name: &str) {
    let members = answer.pointer_mut(place).and_then(Value::as_object_mut);
    members.unwrap().remove(name).unwrap();
}

impl Difference {
    fn applies_to(&self, name: &str) -> bool {
        self.cases.iter().any(|pattern| matches(pattern, name))
    }

    fn apply(&self, answer: &mut Value) {
        match self.change {
            ErrorText(text) => *value_at(answer, text_place(answer)) = json!(text),
            Exit(code, text) => *answer = json!({ "exit": code, "text": text }),
            Answer(change) => change(answer),
        }
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => pattern == name,
    }
}

/// Returns the answer that mynah is expected to give.
pub fn mynah(case: &Case) -> Value {
    let mut answer = case.golden.clone();
    let differences = DIFFERENCES.iter().filter(|difference| difference.applies_to(&case.name));
    differences.for_each(|difference| difference.apply(&mut answer));
    answer
}

/// Returns the reason for each difference.
pub fn reasons() -> impl Iterator<Item = &'static str> {
    DIFFERENCES.iter().map(|difference| difference.reason)
}

/// Panics if a difference matches no case or does not change the answer.
pub fn check(cases: &[Case]) {
    for difference in DIFFERENCES {
        for pattern in difference.cases {
            let named = cases.iter().any(|case| matches(pattern, &case.name));
            assert!(named, "{pattern} matches no case: {}", difference.reason);
        }
        for case in cases.iter().filter(|case| difference.applies_to(&case.name)) {
            let mut answer = case.golden.clone();
            difference.apply(&mut answer);
            assert_ne!(answer, case.golden, "{}: {}", case.name, difference.reason);
        }
    }
}
