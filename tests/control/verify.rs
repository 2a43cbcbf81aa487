//! Expectations about the calls, checked by the API and by `mynah run`.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};
use tonic::Code;

use super::entries;
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, tool_result, user},
    process::{run, wait_until},
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
async fn says_in_words_what_a_body_must_be() {
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

#[tokio::test]
async fn reports_unused_rules_and_unmatched_calls() {
    let sidecar = with_rules();
    say(&sidecar, "a", &["flaky", "once", "something else"]).await;
    let (status, result) = verify(&sidecar, json!({"unused": true, "no_unmatched": true})).await;
    assert_eq!(status, 409);
    let nearest = json!({"rule": "weather", "mismatches": [
        {"condition": "user", "expected": "a text that contains \"weather\"", "seen": "something else"},
    ]});
    let unmatched = json!([{"number": 3, "text": "something else", "nearest": nearest}]);
    assert_eq!(result["unmatched"], unmatched);
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

/// Verify and explain see the model and the session that rules see.
#[tokio::test]
async fn rules_verify_and_explain_see_the_same_call() {
    let folder = scratch("rules");
    let rules = "\
rules:
- {name: asked, match: {model: gpt-9}, respond: asked}
- {name: own, match: {model: own-model, session: a}, times: 1, respond: own}
- {name: other, respond: other}
";
    fs::write(folder.join("rules.yaml"), rules).unwrap();
    let component = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec:
  type: conversation.scripted
  version: v1
  metadata:
  - {name: model, value: own-model}
  - {name: rules, value: rules.yaml}
";
    fs::write(folder.join("echo.yaml"), component).unwrap();
    let sidecar =
        Sidecar::start_with(&["--resources-path", folder.join("echo.yaml").to_str().unwrap()]);
    let failing = "/mynah/v1/faults";
    say(&sidecar, "a", &["first"]).await;
    let openai = json!({"model": "echo", "messages": [{"role": "user", "content": "third"}]});
    sidecar.post("/v1/chat/completions", openai.to_string()).await;
    let of_model = |model: &str| json!({"match": {"model": model}, "count": 1});
    assert_eq!(verify(&sidecar, of_model("own-model")).await.0, 200, "the model of the component");
    assert_eq!(verify(&sidecar, of_model("echo")).await.0, 200, "the model that is asked for");
    // A call that has failed has the same model.
    let fault = json!({"error": {"code": "ABORTED"}}).to_string();
    let put = direct_client().put(sidecar.url(failing)).body(fault);
    assert_eq!(sidecar.send(put).await.status, 204);
    say(&sidecar, "a", &["fails"]).await;
    let both = json!({"match": {"model": "own-model", "session": "a"}, "count": 2});
    assert_eq!(verify(&sidecar, both).await.0, 200);

    let explain = async |session: &str, model: Option<&str>| {
        let inputs = json!([{"messages": [{"ofUser": {"content": [{"text": "x"}]}}]}]);
        let request = json!({"inputs": inputs, "metadata": {"mynah-session": session}});
        let body = json!({"component": "echo", "request": request, "model": model}).to_string();
        let explained = sidecar.post("/mynah/v1/explain", body).await.json();
        (explained["session"].clone(), explained["answered_by"].clone())
    };
    assert_eq!(explain("a", None).await, (json!("a"), json!("other")), "own is spent in a");
    assert_eq!(explain("b", Some("gpt-9")).await, (json!("b"), json!("asked")));
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

#[tokio::test]
async fn faults_are_neither_matched_nor_unmatched() {
    let sidecar = with_rules();
    let fault = json!({"fail_first": 1, "error": {"code": "UNAVAILABLE"}}).to_string();
    let put = direct_client().put(sidecar.url("/mynah/v1/faults")).body(fault);
    assert_eq!(sidecar.send(put).await.status, 204);
    say(&sidecar, "a", &["weather", "weather"]).await;
    let entries = entries(&sidecar, "session=a").await;
    assert_eq!(entries[0]["answered_by"], json!([{"fault": true}]));
    assert_eq!(entries[1]["answered_by"], json!([{"rule": "weather"}]));
    assert_eq!(verify(&sidecar, json!({"no_unmatched": true})).await.0, 200);
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

/// Of rules that are equally near, the one that shares words with the call is named.
#[tokio::test]
async fn the_nearest_rule_shares_words() {
    let rules = "\
rules:
- {name: weather, match: {user: weather}, respond: a}
- {name: price, match: {user: how much is the fish}, respond: b}
- {name: flight, match: {user: {matches: 'flight from \\w+'}}, respond: c}
";
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, rules).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap()]);
    say(&sidecar, "a", &["How much is it?", "a Flight to Rome", "nothing"]).await;
    let (_, result) = verify(&sidecar, json!({"no_unmatched": true})).await;
    let nearest = |at: usize| result["unmatched"][at]["nearest"]["rule"].clone();
    assert_eq!([0, 1, 2].map(nearest), ["price", "flight", "weather"]);
}

#[tokio::test]
async fn a_refused_call_has_no_nearest_rule() {
    let file = scratch("rules").join("rules.yaml");
    fs::write(&file, RULES).unwrap();
    let sidecar = Sidecar::start_with(&["--rules", file.to_str().unwrap(), "--strict-history"]);
    let refused = request([tool_result("unknown", "lookup", "1")]);
    assert_eq!(sidecar.converse(refused).await.unwrap_err().code(), Code::InvalidArgument);
    let (status, result) = verify(&sidecar, json!({"no_unmatched": true})).await;
    let unmatched = &result["unmatched"][0];
    assert_eq!((status, &unmatched["number"]), (409, &json!(1)), "{result}");
    assert_eq!(unmatched["nearest"], Value::Null, "{result}");
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

/// The journal and checks have what was sent. Rules see it without personal data, and so does what says which
/// rule answers.
#[tokio::test]
async fn rules_and_explain_see_scrubbed_inputs() {
    let folder = scratch("rules");
    let rules = "\
rules:
- {name: mail, match: {user: Mail <EMAIL_ADDRESS>}, respond: sent}
- {name: raw, match: {user: Write to bob@example.org now}, respond: never}
- {name: scrubbed, match: {user: Write to <EMAIL_ADDRESS> and, system: polite}, respond: never}
";
    fs::write(folder.join("rules.yaml"), rules).unwrap();
    let sidecar =
        Sidecar::start_with(&["--rules", folder.join("rules.yaml").to_str().unwrap(), "--strict"]);
    let body = |text: &str| {
        let messages = json!([{"ofUser": {"content": [{"text": text}]}}]);
        json!({"inputs": [{"messages": messages, "scrubPii": true}]})
    };
    let sent = body("Mail ann@example.org");
    let answer = sidecar.post("/v1.0-alpha2/conversation/echo/converse", sent.to_string()).await;
    assert!(answer.body.contains(r#""content":"sent""#), "{}", answer.body);
    let explained = sidecar.post("/mynah/v1/explain", json!({"request": sent}).to_string()).await;
    assert_eq!(explained.json()["answered_by"], "mail", "{}", explained.body);
    let as_sent = json!({"match": {"user": {"equals": "Mail ann@example.org"}}, "count": 1});
    assert_eq!(verify(&sidecar, as_sent).await.0, 200);
    let as_seen = json!({"match": {"user": "<EMAIL_ADDRESS>"}, "count": 0});
    assert_eq!(verify(&sidecar, as_seen).await.0, 200);

    let unmatched = body("Write to bob@example.org and be polite").to_string();
    let error = sidecar.post("/v1.0-alpha2/conversation/echo/converse", unmatched).await;
    let (_, result) = verify(&sidecar, json!({"no_unmatched": true})).await;
    let call = &result["unmatched"][0];
    assert_eq!(call["text"], "Write to bob@example.org and be polite");
    assert_eq!(call["nearest"]["rule"], "scrubbed", "{result}");
    assert!(error.body.contains(r#"the nearest is rule \"scrubbed\""#), "{}", error.body);
}
