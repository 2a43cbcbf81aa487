//! Expectations about the calls, checked by the API and by `mynah run`.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::entries;
use crate::support::{
    Sidecar,
    messages::{request, user},
    process::{run, wait_until, with_timeout},
    scratch,
};

const VERIFY: &str = "/mynah/v1/verify";
pub(super) const RULES: &str = r#"
rules:
- name: weather
  match: {user: {contains: weather}}
  respond: [{text: Sunny.}]
- name: twice
  match: {user: {equals: flaky}}
  sequence:
  - error: {code: UNAVAILABLE}
  - respond: [{text: fine}]
- name: once
  match: {user: {equals: once}}
  times: 1
  respond: [{text: only once}]
expect:
- name: asks for the weather
  match: {user: {contains: weather}}
  count: 2
- match: {user: {contains: hotel}}
"#;

/// Starts a sidecar with rules.
pub(super) fn with_rules() -> Sidecar {
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, RULES).unwrap();
    Sidecar::start_with(&["--rules", file.to_str().unwrap()])
}

pub(super) async fn say(sidecar: &Sidecar, session: &str, texts: &[&str]) {
    for text in texts {
        let mut call = request([user(text)]);
        call.metadata.insert("mynah-session".to_owned(), session.to_owned());
        let _ = sidecar.converse(call).await;
    }
}

pub(super) async fn verify(sidecar: &Sidecar, body: Value) -> (u16, Value) {
    let reply = sidecar.post(VERIFY, body.to_string()).await;
    (reply.status, reply.json())
}

/// An application that sends no session is easy to find.
#[tokio::test]
async fn names_other_sessions_if_the_one_has_no_calls() {
    let sidecar = with_rules();
    say(&sidecar, "default", &["weather"]).await;
    let count = |session| json!({"session": session, "count": 1});
    let (status, found) = verify(&sidecar, count("test")).await;
    assert_eq!((status, &found["other_sessions"]), (409, &json!(["default"])));
    let (status, found) = verify(&sidecar, count("default")).await;
    assert_eq!((status, found.get("other_sessions")), (200, None));
}

#[tokio::test]
async fn counts_the_calls_that_match() {
    let sidecar = Sidecar::start();
    say(&sidecar, "a", &["hello", "goodbye"]).await;
    say(&sidecar, "b", &["hello"]).await;
    let hello = json!({"match": {"user": {"equals": "hello"}, "session": "a"}, "count": 1});
    let (status, result) = verify(&sidecar, hello).await;
    assert_eq!((status, &result["ok"]), (200, &json!(true)), "{result}");
    assert_eq!(result["expectations"][0]["calls"], json!([1]));
    let both = json!({"match": {"user": "hello"}, "count": {"at_least": 2}});
    assert_eq!(verify(&sidecar, both).await.0, 200);
    let one_session = json!({"match": {"user": "hello"}, "count": 2, "session": "a"});
    let (status, result) = verify(&sidecar, one_session).await;
    assert_eq!(status, 409);
    let miss = &result["expectations"][0];
    assert_eq!(miss["matched"], 1);
    assert_eq!(miss["expected"], "exactly 2");
    assert_eq!(miss["nearest"][0]["number"], 2);
    assert_eq!(miss["nearest"][0]["mismatches"][0]["condition"], "user");
    assert_eq!(miss["nearest"][0]["mismatches"][0]["seen"], "goodbye");
}

#[tokio::test]
async fn rejects_invalid_checks() {
    let sidecar = Sidecar::start();
    let cases = [
        (json!({}), "there is nothing to check"),
        (json!({"mach": {}}), "unknown key `mach`"),
        (json!({"match": {"usr": "a"}}), "match.usr: unknown key `usr`"),
        (json!({"count": -1}), "count: "),
    ];
    for (body, expected) in cases {
        let (status, result) = verify(&sidecar, body).await;
        assert_eq!(status, 400);
        assert!(result["error"].as_str().unwrap().contains(expected), "{result}");
    }
}

#[tokio::test]
pub(super) async fn says_in_words_what_a_body_must_be() {
    let sidecar = Sidecar::start();
    for path in [VERIFY, "/mynah/v1/explain"] {
        for (body, expected) in [
            ("[{}]", "the body must be a JSON object, not a list"),
            (" 1", "the body must be a JSON object, not a number"),
            ("", "the body must be a JSON object, not empty"),
        ] {
            let reply = sidecar.post(path, body).await;
            assert_eq!((reply.status, reply.json()), (400, json!({"error": expected})), "{path}");
        }
    }
    let (_, result) = verify(&sidecar, json!({"expect": [1]})).await;
    let expected = "invalid JSON: expect[0]: must be an object, not 1";
    assert!(result["error"].as_str().unwrap().starts_with(expected), "{result}");
    let (_, result) = verify(&sidecar, json!({"match": ["joke"]})).await;
    let expected = "invalid JSON: match: must be an object, not a list";
    assert!(result["error"].as_str().unwrap().starts_with(expected), "{result}");
}

/// Runs a shell command next to a sidecar with rules.
fn run_with_rules(command: &str) -> crate::support::process::Output {
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, RULES).unwrap();
    run(&["run", "--rules", file.to_str().unwrap(), "--", "sh", "-c", command])
}

#[test]
fn run_fails_if_expectations_are_not_met() {
    let output = run_with_rules("exit 0");
    assert_eq!(output.code, Some(1));
    let expected = "mynah: 2 of 2 expectations not met\n  \
                    expectation \"asks for the weather\": expected exactly 2 calls, found 0\n  \
                    expectation 2: expected at least 1 call, found 0\n";
    assert_eq!(output.stderr, expected);
    assert_eq!(run_with_rules("exit 3").code, Some(3), "the command's code is kept");
}

#[test]
fn run_succeeds_if_expectations_are_met() {
    let call = |text: &str| {
        format!(
            r#"curl -sf "$DAPR_HTTP_ENDPOINT/v1.0-alpha2/conversation/echo/converse" -d '{{"inputs": [{{"messages": [{{"ofUser": {{"content": [{{"text": "{text}"}}]}}}}]}}]}}' && "#
        )
    };
    let calls: String = ["weather", "weather", "hotel"].map(call).concat();
    let journal = r#"curl -sf "$MYNAH_ENDPOINT/journal?limit=1" | grep -q '"more":true'"#;
    let output = run_with_rules(&(calls + journal));
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{}", output.stdout);
}

#[tokio::test]
async fn dropped_calls_make_checks_incomplete() {
    let sidecar = Sidecar::start_with(&["--journal-size", "4Ki"]);
    say(&sidecar, "a", &["hello"; 100]).await;
    let check = |count: Value| json!({"match": {"user": "hello"}, "session": "a", "count": count});
    let (status, result) = verify(&sidecar, check(json!({"at_least": 1}))).await;
    assert_eq!((status, &result["ok"]), (200, &json!(true)), "{result}");
    let dropped = result["dropped"].as_u64().unwrap();
    let left = 100 - dropped;
    assert!(left > 0 && dropped > 0, "{result}");
    for count in [json!(left), json!({"at_most": left})] {
        let (status, result) = verify(&sidecar, check(count)).await;
        let seen = (status, &result["incomplete"], &result["expectations"][0]["incomplete"]);
        assert_eq!(seen, (409, &json!(true), &json!(true)), "{result}");
    }
    assert_eq!(verify(&sidecar, check(json!({"at_most": 100}))).await.0, 200);
    let never = json!({"match": {"user": "bye"}, "session": "a", "count": 0});
    assert_eq!(verify(&sidecar, never).await.0, 409);
    let other = json!({"match": {"user": "bye"}, "session": "b", "count": 0});
    assert_eq!(verify(&sidecar, other).await.0, 200, "no call of this session is missing");
    let later = json!({"match": {"user": "bye"}, "since": 100, "count": 0});
    assert_eq!(verify(&sidecar, later).await.0, 200, "no later call is missing");
}

/// A test can look before its calls have ended.
#[tokio::test]
async fn waits_for_calls() {
    let sidecar = Sidecar::start();
    let check = |wait: &str| json!({"match": {"user": "hello"}, "count": 2, "wait": wait});
    let (status, early) = verify(&sidecar, check("1ms")).await;
    assert_eq!((status, &early["expectations"][0]["matched"]), (409, &json!(0)), "{early}");
    let calls = async {
        for text in ["hello", "something else", "hello"] {
            say(&sidecar, "a", &[text]).await;
        }
    };
    let ((status, report), ()) = tokio::join!(verify(&sidecar, check("1m")), calls);
    assert_eq!((status, &report["expectations"][0]["calls"]), (200, &json!([1, 3])), "{report}");
    for (wait, error) in [
        ("2", "wait: \"2\" is not a duration; use Go's format, such as 50ms or 1.5s"),
        ("-1s", "wait: \"-1s\" is negative; use a duration of 0s or more"),
        ("61s", "wait: \"61s\" is too long; use at most 1m"),
    ] {
        let (status, answer) = verify(&sidecar, check(wait)).await;
        assert_eq!((status, &answer["error"]), (400, &json!(error)));
    }
}

/// Too many calls, and calls that nothing expects, stay so.
#[tokio::test]
async fn does_not_wait_in_vain() {
    let sidecar = with_rules();
    say(&sidecar, "a", &["hello", "hello"]).await;
    let hopeless = [
        json!({"match": {"user": "hello"}, "count": 1, "wait": "1m"}),
        json!({"match": {"user": "bye"}, "no_unmatched": true, "wait": "1m"}),
    ];
    for check in hopeless {
        assert_eq!(with_timeout(verify(&sidecar, check)).await.0, 409);
    }
}

/// Waiting checks do not keep mynah from stopping.
#[tokio::test]
async fn a_drain_ends_the_wait() {
    let sidecar = Sidecar::start_with(&["--log-level", "debug"]);
    let check = json!({"match": {"user": "never"}, "wait": "1m"});
    let waiting = verify(&sidecar, check);
    let stop = async {
        let is_waiting = async || {
            sidecar.log().contains("work on a request of the control API ends").then_some(())
        };
        wait_until(is_waiting, "the check did not begin").await;
        sidecar.signal(Signal::TERM);
    };
    let ((status, _), ()) = tokio::join!(waiting, stop);
    assert_eq!(status, 409);
}

#[tokio::test]
async fn checks_can_see_what_the_model_sees() {
    let sidecar = Sidecar::start();
    let mut call = request([user("Mail ann@example.org")]);
    call.inputs[0].scrub_pii = Some(true);
    sidecar.converse(call).await.unwrap();
    say(&sidecar, "open", &["Mail bob@example.org"]).await;
    for (scrubbed, text, count) in [
        (false, "@example.org", 2),
        (true, "@example.org", 1),
        (true, "bob@", 1),
        (false, "<EMAIL_ADDRESS>", 0),
        (true, "<EMAIL_ADDRESS>", 1),
    ] {
        let check = json!({"match": {"user": text}, "count": count, "scrubbed": scrubbed});
        let (status, report) = verify(&sidecar, check).await;
        assert_eq!(status, 200, "{report}");
    }
}

#[tokio::test]
async fn near_misses_are_listed_only_if_too_few_calls_match() {
    let sidecar = Sidecar::start();
    say(&sidecar, "a", &["hello", "hello", "goodbye"]).await;
    let check = |count: u64| json!({"match": {"user": "hello"}, "count": count});
    let (status, too_many) = verify(&sidecar, check(1)).await;
    assert_eq!((status, &too_many["expectations"][0]["nearest"]), (409, &Value::Null));
    let (_, too_few) = verify(&sidecar, check(3)).await;
    assert_eq!(too_few["expectations"][0]["nearest"][0]["number"], 3);
}

#[tokio::test]
async fn expects_settings_of_requests() {
    let sidecar = Sidecar::start();
    let mut call = request([user("hello")]);
    (call.max_tokens, call.temperature, call.scrub_pii) = (Some(64), Some(0.0), Some(true));
    let any = json!({"@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "7"});
    sidecar.converse(call).await.unwrap();
    let message = json!({"ofUser": {"content": [{"text": "hello"}]}});
    let body =
        json!({"inputs": [{"messages": [message]}], "parameters": {"seed": any}, "maxTokens": 64});
    sidecar.post("/v1.0-alpha2/conversation/echo/converse", body.to_string()).await;
    for (settings, calls) in [
        (json!({"max_tokens": 64}), json!([1, 2])),
        (json!({"temperature": 0, "scrub_pii": true}), json!([1])),
        (json!({"parameters": {"seed": 7}}), json!([2])),
    ] {
        let count = calls.as_array().unwrap().len();
        let (status, result) = verify(&sidecar, json!({"match": settings, "count": count})).await;
        assert_eq!((status, &result["expectations"][0]["calls"]), (200, &calls), "{result}");
    }
    let wrong = json!({"match": {"max_tokens": {"at_most": 10}, "scrub_pii": false, "parameters": {"seed": 8}}});
    let (status, result) = verify(&sidecar, wrong).await;
    assert_eq!(status, 409);
    let nearest = result["expectations"][0]["nearest"].to_string();
    assert!(nearest.contains(r#""condition":"max_tokens""#), "{nearest}");
    let requests: Vec<_> =
        entries(&sidecar, "").await.iter().map(|it| it["request"]["maxTokens"].clone()).collect();
    assert_eq!(requests, [json!("64"), json!(64)]);
}
