//! Requests of the control API that would take too much work or memory.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
    process::wait_until,
    scratch,
};

const VERIFY: &str = "/mynah/v1/verify";

async fn verify(sidecar: &Sidecar, body: Value) -> (u16, String) {
    let reply = sidecar.post(VERIFY, body.to_string()).await;
    let error = reply.json()["error"].as_str().unwrap_or_default().to_owned();
    (reply.status, error)
}

fn patterns(count: usize, pattern: impl Fn(usize) -> String) -> Value {
    let condition = |number| json!({"matches": pattern(number)});
    json!({"match": {"any_message": (0..count).map(condition).collect::<Vec<_>>()}})
}

#[tokio::test]
async fn patterns_are_limited_in_number_and_size() {
    let sidecar = Sidecar::start();
    let cases = [
        (
            patterns(20_000, |number| format!("a{number}")),
            "too many patterns; expected at most 200",
        ),
        (patterns(1, |_| r"\w{999}".to_owned()), "it is too large; expected at most 1048576 bytes"),
        (patterns(150, |_| r"\w{20}".to_owned()), "the patterns together are too large"),
        (patterns(1, |_| "(".repeat(100_000)), "is invalid"),
    ];
    for (body, expected) in cases {
        let (status, error) = verify(&sidecar, body).await;
        assert_eq!(status, 400, "{error}");
        assert!(error.contains(expected) && error.len() < 4_096, "{error}");
    }
    sidecar.converse(request([user("hello")])).await.unwrap();
    let (status, error) = verify(&sidecar, patterns(100, |_| "^h".to_owned())).await;
    assert_eq!(status, 200, "{error}");
}

#[tokio::test]
async fn conditions_are_limited_in_number() {
    let sidecar = Sidecar::start();
    let parts = vec!["a"; 10_000];
    let (status, error) = verify(&sidecar, json!({"match": {"any_message": parts}})).await;
    assert_eq!(status, 400);
    assert!(error.contains("too many expectations and conditions"), "{error}");
}

#[tokio::test]
async fn a_check_that_takes_too_much_work_stops() {
    let sidecar = Sidecar::start();
    let text = "a ".repeat(500_000);
    for _ in 0..3 {
        sidecar.converse(request([user(&text)])).await.unwrap();
    }
    // Fast to search, because the text does not have the beginning. The work is counted without this.
    let expect: Vec<_> = (0..10)
        .map(|number| json!({"match": {"user": {"matches": format!(r"z{number}z\w{{20}}")}}}))
        .collect();
    let (status, error) = verify(&sidecar, json!({"expect": expect})).await;
    assert_eq!(status, 422, "{error}");
    assert!(error.contains("takes too much work; select fewer calls"), "{error}");
    let one = json!({"expect": &expect[..1], "since": 2});
    assert_eq!(verify(&sidecar, one).await.0, 409);
}

#[tokio::test]
async fn parsed_bodies_are_charged() {
    let sidecar = Sidecar::start_with(&["--max-memory=32Mi"]);
    let numbers = vec![1; 500_000];
    for path in [VERIFY, "/mynah/v1/explain"] {
        let reply = sidecar.post(path, json!({"request": {"a": numbers}}).to_string()).await;
        assert_eq!(reply.status, 503, "{path}: {}", reply.body);
        assert!(reply.body.contains("the memory limit"), "{}", reply.body);
    }
}

#[tokio::test]
async fn errors_quote_the_beginning_of_a_long_key() {
    let sidecar = Sidecar::start();
    let key = "k".repeat(1_000_000);
    let unknown = json!({(&*key): 1});
    let nested = json!({"match": {"metadata": {(&*key): []}}});
    for body in [unknown, nested] {
        let (status, error) = verify(&sidecar, body).await;
        assert_eq!(status, 400);
        assert!(error.contains("kkk") && error.len() < 4_096, "{} bytes", error.len());
    }
    sidecar.converse(request([user("hello")])).await.unwrap();
    let body = json!({"match": {"metadata": {(&*key): "a"}}});
    let reply = sidecar.post(VERIFY, body.to_string()).await;
    assert_eq!(reply.status, 409);
    assert!(reply.body.len() < 4_096, "{} bytes", reply.body.len());
}

/// The maximum work on a request, in steps.
const MAX_STEPS: u64 = 2_000_000_000;
/// The number of patterns and the length of a text for which a request takes the maximum work, if there are
/// ten texts. Each search takes at least two steps for a byte.
const PATTERNS: usize = 200;
const LENGTH: usize = 500_000;
/// A pattern whose search takes long, because it has no fixed text.
const SLOW: &str = r"\d[a-z]{9}\d";

/// Returns the end of the work that the log tells of, as its steps and whether it was cancelled.
fn ended(log: &str) -> Option<(u64, bool)> {
    let line = log.lines().rfind(|line| line.contains("control API ends"))?;
    let value = |key: &str| line.split(key).nth(1)?.split(' ').next().map(str::to_owned);
    Some((value("steps=")?.parse().unwrap(), value("cancelled=")? == "true"))
}

/// Sends a request that takes the maximum work, leaves when the work has begun, and checks that others are
/// answered meanwhile and that the work stops.
async fn leave(sidecar: &Sidecar, path: &str, body: String) {
    let call = direct_client().post(sidecar.url(path)).body(body);
    let call = tokio::spawn(async move { drop(call.send().await) });
    let has_begun = async || sidecar.log().contains("control API begins").then_some(());
    wait_until(has_begun, "the work does not begin").await;
    for _ in 0..5 {
        assert_eq!(sidecar.converse(request([user("hello")])).await.unwrap().content, "hello");
    }
    assert_eq!(ended(&sidecar.log()), None, "others are answered after the work");
    call.abort();
    let end = wait_until(async || ended(&sidecar.log()), "the work does not stop").await;
    assert!(end.1 && end.0 < MAX_STEPS, "{end:?}");
}

#[tokio::test]
async fn verifying_stops_when_the_client_leaves() {
    let sidecar = Sidecar::start_with(&["--log-level=debug"]);
    let text = "a ".repeat(LENGTH / 2);
    for _ in 0..10 {
        sidecar.converse(request([user(&text)])).await.unwrap();
    }
    let condition = json!({"match": {"user": {"matches": SLOW}}});
    let body = json!({"expect": vec![condition; PATTERNS]}).to_string();
    leave(&sidecar, VERIFY, body).await;
}

#[tokio::test]
async fn explaining_stops_when_the_client_leaves() {
    let rules = scratch("work").join("rules.yaml");
    let rule = format!("- {{match: {{user: {{matches: '{SLOW}'}}}}, respond: a}}\n");
    fs::write(&rules, format!("rules:\n{}", rule.repeat(10 * PATTERNS))).unwrap();
    let sidecar = Sidecar::start_with(&["--log-level=debug", "--rules", rules.to_str().unwrap()]);
    let text = "a ".repeat(LENGTH / 2);
    let messages = json!([{"ofUser": {"content": [{"text": text}]}}]);
    let body = json!({"request": {"inputs": [{"messages": messages}]}}).to_string();
    leave(&sidecar, "/mynah/v1/explain", body).await;
}

/// The rules that are compared to find the nearest one count as work.
#[tokio::test]
async fn finding_the_nearest_rule_is_work() {
    let rules = scratch("work").join("rules.yaml");
    // Searched fast, because the text does not have the beginning. The work is counted without this.
    let rule =
        |number| format!(r"- {{match: {{user: {{matches: 'z{number}z\w{{20}}'}}}}, respond: a}}");
    let rules_text: Vec<_> = (0..5).map(rule).collect();
    fs::write(&rules, format!("rules:\n{}\n", rules_text.join("\n"))).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", rules.to_str().unwrap()]);
    let text = "a ".repeat(500_000);
    for _ in 0..10 {
        sidecar.converse(request([user(&text)])).await.unwrap();
    }
    let (status, error) = verify(&sidecar, json!({"no_unmatched": true})).await;
    assert_eq!(status, 422, "{error}");
    assert!(error.contains("takes too much work"), "{error}");
    let few = json!({"no_unmatched": true, "since": 9});
    assert_eq!(verify(&sidecar, few).await.0, 409);
}
