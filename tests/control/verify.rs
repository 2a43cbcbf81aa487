//! Expectations about the calls, checked by the API and by `mynah run`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    messages::{request, user},
    process::run,
    scratch,
};

const VERIFY: &str = "/mynah/v1/verify";
const RULES: &str = r#"
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
fn with_rules() -> Sidecar {
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, RULES).unwrap();
    Sidecar::start_with(&["--rules", file.to_str().unwrap()])
}

async fn say(sidecar: &Sidecar, session: &str, texts: &[&str]) {
    for text in texts {
        let mut call = request([user(text)]);
        call.metadata.insert("mynah-session".to_owned(), session.to_owned());
        let _ = sidecar.converse(call).await;
    }
}

async fn verify(sidecar: &Sidecar, body: Value) -> (u16, Value) {
    let reply = sidecar.post(VERIFY, body.to_string()).await;
    (reply.status, reply.json())
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
        (json!({"mach": {}}), "unknown field `mach`"),
        (json!({"match": {"usr": "a"}}), "match.usr: unknown field `usr`"),
        (json!({"count": -1}), "count: "),
    ];
    for (body, expected) in cases {
        let (status, result) = verify(&sidecar, body).await;
        assert_eq!(status, 400);
        assert!(result["error"].as_str().unwrap().contains(expected), "{result}");
    }
}

#[tokio::test]
async fn reports_unused_rules_and_unmatched_calls() {
    let sidecar = with_rules();
    say(&sidecar, "a", &["flaky", "once", "something else"]).await;
    let (status, result) = verify(&sidecar, json!({"unused": true, "no_unmatched": true})).await;
    assert_eq!(status, 409);
    assert_eq!(result["unmatched"], json!([3]));
    let unused = result["unused"].as_array().unwrap().clone();
    let unused: Vec<_> = unused.iter().map(|it| (&it["rule"], &it["steps"])).collect();
    assert_eq!(unused, [(&json!("weather"), &json!([])), (&json!("twice"), &json!([2]))]);
    say(&sidecar, "a", &["flaky", "weather"]).await;
    assert_eq!(verify(&sidecar, json!({"unused": true})).await.0, 200);
}

#[tokio::test]
async fn explains_which_rule_would_answer() {
    let sidecar = with_rules();
    let explain = async |text: &str| {
        let request = json!({"name": "echo", "inputs": [{"messages": [
            {"ofUser": {"content": [{"text": text}]}},
        ]}]});
        let body = json!({"request": request, "session": "a"}).to_string();
        sidecar.post("/mynah/v1/explain", body).await.json()
    };
    let explained = explain("once").await;
    assert_eq!(explained["answered_by"], "once");
    let first = &explained["rules"][0];
    assert_eq!((&first["rule"], &first["matches"]), (&json!("weather"), &json!(false)));
    assert_eq!(first["mismatches"][0]["condition"], "user");
    assert_eq!(first["mismatches"][0]["seen"], "once");
    say(&sidecar, "a", &["once"]).await;
    let explained = explain("once").await;
    assert_eq!(explained["answered_by"], Value::Null, "its times are spent");
    assert_eq!(
        (&explained["rules"][2]["matches"], &explained["rules"][2]["uses"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(explain("other").await["answered_by"], Value::Null);
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
                    expectation 2: expected at least 1 calls, found 0\n";
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
