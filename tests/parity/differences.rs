//! Where mynah differs from daprd on purpose, and why. docs/compatibility.md lists
//! each reason.

use mynah::wire::error::NOT_SERVED;
use serde_json::{Value, json};

use self::Change::{Answers, Ends, Says};
use super::case::Case;

/// One thing that mynah does otherwise.
struct Difference {
    why: &'static str,
    /// Names of cases; one `*` stands for anything.
    cases: &'static [&'static str],
    /// What makes mynah's answer of daprd's.
    change: Change,
}

enum Change {
    /// The error has another text.
    Says(&'static str),
    /// The program ends, with this code and this text among what it prints.
    Ends(i32, &'static str),
    /// Anything else.
    Answers(fn(&mut Value)),
}

const fn differs(why: &'static str, cases: &'static [&'static str], change: Change) -> Difference {
    Difference { why, cases, change }
}

const JSON_WORDS: &str =
    "error texts for malformed JSON come from the parser, and Go's are not stable";
const MORE_METHODS: &str = "mynah has methods that daprd does not have";
const ALL_PROBLEMS: &str = "all problems are reported with file, line and what would be valid";
const NO_SILENCE: &str = "daprd skips such a component, which hides the error";
const OWN_WORDS: &str = "errors about flags have mynah's texts";

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
        Answers(mend_left_overs),
    ),
    differs(
        "a tool message without id and name is treated as text, as in Alpha1",
        &["a2-grpc-role-tool-no-id-no-name"],
        Answers(|answer| {
            *value_at(answer, "/message/outputs/0/choices/0/message/content") = json!("r");
            let usage = json!({"completionTokens": "1", "promptTokens": "1", "totalTokens": "2"});
            *value_at(answer, "/message/outputs/0/usage") = usage;
        }),
    ),
    differs(
        JSON_WORDS,
        &["http-two-oneofs"],
        Says(
            "failed deserializing HTTP body: proto: (line 1:108): \
              multiple fields provided for oneof 'message_types'",
        ),
    ),
    differs(
        JSON_WORDS,
        &["http-json-array"],
        Says(
            "failed deserializing HTTP body: proto: (line 1:1): \
              invalid type: sequence, expected a map",
        ),
    ),
    differs(
        JSON_WORDS,
        &["http-json-null"],
        Says(
            "failed deserializing HTTP body: proto: (line 1:4): \
              invalid type: null, expected a map",
        ),
    ),
    differs(
        JSON_WORDS,
        &["http-wrong-type-string-for-array"],
        Says(
            "failed deserializing HTTP body: proto: (line 1:13): \
              invalid type: string \"x\", expected a list",
        ),
    ),
    differs(
        JSON_WORDS,
        &["http-wrong-type-number-for-text"],
        Says(
            "failed deserializing HTTP body: proto: (line 1:55): \
              invalid type: integer `5`, expected a string",
        ),
    ),
    differs(
        JSON_WORDS,
        &["http-trailing-garbage"],
        Says(
            "failed deserializing HTTP body: proto: syntax error (line 1:17): \
              trailing characters",
        ),
    ),
    differs(
        JSON_WORDS,
        &["http-bad-duration"],
        Says(
            "failed deserializing HTTP body: proto: (line 1:99): \
              not a duration in seconds, such as \"86400s\"",
        ),
    ),
    differs(
        JSON_WORDS,
        &["http-any-unknown-type"],
        Says("failed deserializing HTTP body: proto: (line 1:130): message 'foo.Bar' not found"),
    ),
    differs(
        JSON_WORDS,
        &["http-any-without-type"],
        Says(
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
        Says(NOT_SERVED),
    ),
    differs(
        "a page of another site could call shutdown, so foreign origins are refused",
        &["headers-cors-*"],
        Answers(|answer| {
            *value_at(answer, "/status") = json!(403);
            *value_at(answer, "/body") = json!({
                "errorCode": "ERR_FORBIDDEN",
                "message": "the origin \"http://a.example\" is foreign; mynah answers programs \
                    on this machine, and browsers only under the names in --allowed-hosts",
            });
        }),
    ),
    differs(
        "mynah does not trace",
        &["headers-cors-*", "headers-metadata", "headers-not-found"],
        Answers(|answer| remove(answer, "/headers", "traceparent")),
    ),
    differs(
        "mynah does not trace",
        &["headers-grpc-*"],
        Answers(|answer| remove(answer, "/headers", "grpc-trace-bin")),
    ),
    differs(
        "daprd treats an unknown method as service invocation; mynah uses the standard code",
        &["grpc-unknown-unary-method"],
        Answers(|answer| *answer = json!({ "code": 12, "text": NOT_SERVED })),
    ),
    differs(
        MORE_METHODS,
        &["grpc-unknown-stream-method"],
        Answers(|answer| {
            *answer = json!({ "code": 3, "text": "failed finding conversation component " });
        }),
    ),
    differs(
        MORE_METHODS,
        &["grpc-health-check"],
        Answers(|answer| *answer = json!({ "message": {} })),
    ),
    differs(
        "mynah has a health service and no workflow service",
        &["grpc-reflection-with-app-id", "token-grpc-reflection-token-and-app-id"],
        Answers(|answer| {
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
        Answers(|answer| *answer = json!({ "status": 204 })),
    ),
    differs(
        "mynah reports its version and has none of daprd's features",
        &[
            "http-ctl-metadata",
            "grpc-GetMetadata*",
            "headers-metadata",
            "http-token-metadata-right",
        ],
        Answers(|answer| {
            let place = if answer.get("message").is_some() { "/message" } else { "/body" };
            remove(answer, place, "enabledFeatures");
            answer.pointer_mut(place).unwrap()["extended"]["mynahVersion"] =
                json!(env!("CARGO_PKG_VERSION"));
        }),
    ),
    differs(
        "without a folder, a default component is useful",
        &["start-no-resources-path"],
        Answers(|answer| *answer = json!({ "components": ["echo conversation.echo"] })),
    ),
    differs(
        "a path can also name a single file",
        &["start-resources-path-is-a-file"],
        Answers(|answer| *answer = json!({ "components": [] })),
    ),
    differs(
        "a default application id is enough for tests",
        &["start-no-app-id"],
        Answers(|answer| *answer = json!({ "components": [] })),
    ),
    differs(NO_SILENCE, &["start-bad-yaml-file"], Ends(1, "a.yaml:5:5: not valid YAML")),
    differs(NO_SILENCE, &["start-name-missing"], Ends(1, "a.yaml:1:1: metadata.name is missing")),
    differs(
        NO_SILENCE,
        &["start-name-with-slash"],
        Ends(1, "a.yaml:4:9: invalid metadata.name \"a/b\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-duplicate-same-file"],
        Ends(1, "a.yaml:13:9: duplicate component name \"echo\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-duplicate-two-files"],
        Ends(1, "b.yaml:4:9: duplicate component name \"echo\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-unknown-conversation-type"],
        Ends(1, "a.yaml:6:9: unknown spec.type \"conversation.nope\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-type-without-dot"],
        Ends(1, "a.yaml:6:9: unknown spec.type \"conversation\""),
    ),
    differs(
        ALL_PROBLEMS,
        &["start-unknown-version"],
        Ends(1, "a.yaml:7:12: unknown spec.version \"v9\" of conversation.echo"),
    ),
    differs(
        "64 is the code for wrong usage in sysexits.h",
        &["start-unknown-flag"],
        Ends(64, "unexpected argument '--bogus'"),
    ),
    differs(
        OWN_WORDS,
        &["start-bad-max-body-size"],
        Ends(64, "invalid value \"abc\" for --max-body-size"),
    ),
    differs(
        OWN_WORDS,
        &["start-grpc-port-in-use"],
        Ends(1, "the port is in use; --dapr-grpc-port"),
    ),
    differs(
        "with more than twelve matches, daprd's choice depends on Go's unstable sort",
        &["a2-*-scrub-input-many"],
        Answers(|answer| {
            let root = if answer.get("message").is_some() { "/message" } else { "/body" };
            let content = format!("{root}/outputs/0/choices/0/message/content");
            *value_at(answer, &content) = json!(["<ZIP_CODE>"; 7].join(", "));
        }),
    ),
];

fn mend_left_overs(answer: &mut Value) {
    let place = text_place(answer);
    let text = answer.pointer(place).and_then(Value::as_str).unwrap();
    let (start, rest) = text.split_once("%!(EXTRA ").unwrap();
    let (_, reason) = rest.split_once('=').unwrap();
    let mended = format!("{start}: {}", reason.trim_end_matches(')'));
    *value_at(answer, place) = json!(mended);
}

/// Where the text of an error is.
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
    fn concerns(&self, name: &str) -> bool {
        self.cases.iter().any(|pattern| matches(pattern, name))
    }

    fn apply(&self, answer: &mut Value) {
        match self.change {
            Says(text) => *value_at(answer, text_place(answer)) = json!(text),
            Ends(code, text) => *answer = json!({ "exit": code, "text": text }),
            Answers(change) => change(answer),
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

/// What mynah is to answer.
pub fn mynah(case: &Case) -> Value {
    let mut answer = case.golden.clone();
    let concerning = DIFFERENCES.iter().filter(|difference| difference.concerns(&case.name));
    concerning.for_each(|difference| difference.apply(&mut answer));
    answer
}

/// Why mynah differs, once for each difference.
pub fn reasons() -> impl Iterator<Item = &'static str> {
    DIFFERENCES.iter().map(|difference| difference.why)
}

/// Fails where a difference makes no difference.
pub fn check(cases: &[Case]) {
    for difference in DIFFERENCES {
        for pattern in difference.cases {
            let named = cases.iter().any(|case| matches(pattern, &case.name));
            assert!(named, "{pattern} names no case: {}", difference.why);
        }
        for case in cases.iter().filter(|case| difference.concerns(&case.name)) {
            let mut answer = case.golden.clone();
            difference.apply(&mut answer);
            assert_ne!(answer, case.golden, "{}: {}", case.name, difference.why);
        }
    }
}
