//! The journal has every call, on every surface.

use std::time::Duration;

use mynah::internals::wire::{
    json,
    proto::{ConversationInput, ConversationRequest},
};
use serde_json::{Value, json};
use tokio::time::sleep;
use tonic::Request;

use super::{JOURNAL, entries, send};
use crate::{
    chains::chain,
    support::{
        Sidecar,
        http::direct_client,
        messages::{request, user},
        process::wait_until,
        scratch, stream,
    },
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

fn names(entries: &[Value], name: &str) -> Vec<Value> {
    entries.iter().map(|entry| entry[name].clone()).collect()
}

/// A request with all kinds of fields, in the form of proto JSON.
fn full() -> Value {
    json!({
        "name": "echo",
        "contextId": "c",
        "inputs": [
            {"messages": [
                {"ofSystem": {"content": [{"text": "Be brief."}]}},
                {"ofUser": {"name": "ada", "content": [{"text": "Hi"}, {"text": "there"}]}},
            ], "scrubPii": true},
            {"messages": [{"ofTool": {
                "toolId": "call_1", "name": "lookup", "content": [{"text": "{}"}],
            }}]},
        ],
        "metadata": {"k": "v"},
        "parameters": {
            "p": {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": "x"},
        },
        "responseFormat": {"type": "object", "properties": {"b": {"type": "integer"}}},
        "scrubPii": false,
        "temperature": 0.5,
        "toolChoice": "auto",
        "tools": [{"function": {
            "name": "lookup", "description": "d", "parameters": {"type": "object"},
        }}],
    })
}

#[tokio::test]
async fn shows_every_field_as_the_client_sent_it() {
    let sidecar = Sidecar::start();
    let sent = full();
    sidecar.converse(json::read(sent.to_string().as_bytes()).unwrap()).await.unwrap();
    sidecar.post(ALPHA2, sent.to_string()).await;
    let all = entries(&sidecar, "").await;
    assert_eq!(names(&all, "request"), [sent.clone(), sent]);
    assert_eq!(names(&all, "surface"), ["grpc", "http"]);
    assert_eq!(names(&all, "number"), [1, 2]);
    for entry in &all {
        assert_eq!(entry["api"], "alpha2");
        assert_eq!(entry["component"], "echo");
        assert_eq!(entry["session"], "default");
        assert_eq!(entry["outcome"], "ok");
        assert_eq!(entry["response"]["finish_reason"], "stop");
        assert!(entry["duration_ms"].as_f64().unwrap() > 0.0, "{entry}");
    }
}

#[tokio::test]
async fn has_the_calls_of_all_surfaces_and_methods() {
    let sidecar = Sidecar::start();
    sidecar.converse(request([user("unary")])).await.unwrap();
    stream(&sidecar, request([user("stream")])).await.unwrap();
    let alpha1 = ConversationRequest {
        name: "echo".to_owned(),
        inputs: vec![ConversationInput { content: "alpha1".to_owned(), ..Default::default() }],
        ..Default::default()
    };
    sidecar.client().await.converse_alpha1(alpha1).await.unwrap();
    sidecar.post_for_events(ALPHA2, json::write(&request([user("events")])).unwrap()).await;
    let openai = json!({"model": "echo", "messages": [{"role": "user", "content": "openai"}]});
    sidecar.post("/v1/chat/completions", openai.to_string()).await;
    let all = entries(&sidecar, "").await;
    let texts: Vec<_> = all.iter().map(|entry| entry["response"]["text"].clone()).collect();
    assert_eq!(texts, ["unary", "stream", "alpha1", "events", "openai"]);
    assert_eq!(names(&all, "surface"), ["grpc", "grpc", "grpc", "http", "openai"]);
    assert_eq!(names(&all, "api"), ["alpha2", "alpha2", "alpha1", "alpha2", "openai"]);
    assert_eq!(names(&all, "stream"), [false, true, false, true, false]);
    assert_eq!(all[4]["request"], openai);
}

#[tokio::test]
async fn has_calls_that_fail() {
    let sidecar = Sidecar::start();
    let mut unknown = request([user("hi")]);
    unknown.name = "nope".to_owned();
    sidecar.converse(unknown).await.unwrap_err();
    sidecar.post(ALPHA2, "{").await;
    sidecar.post("/v1/chat/completions", "{}").await;
    let all = entries(&sidecar, "").await;
    assert_eq!(names(&all, "outcome"), ["failed", "failed", "failed"]);
    assert_eq!(names(&all, "component"), ["nope", "", ""]);
    assert_eq!(all[0]["error"]["code"], "INVALID_ARGUMENT");
    assert_eq!(all[0]["error"]["message"], "failed finding conversation component nope");
    assert_eq!(all[1]["request"], "{");
    assert_eq!(all[2]["error"]["code"], "INVALID_ARGUMENT");
}

/// A test that expects a call to fail removes it, and keeps the others.
#[tokio::test]
async fn calls_are_selected_by_their_outcome() {
    let sidecar = Sidecar::start();
    let mut unknown = request([user("hi")]);
    unknown.name = "nope".to_owned();
    sidecar.converse(request([user("hi")])).await.unwrap();
    sidecar.converse(unknown).await.unwrap_err();
    assert_eq!(names(&entries(&sidecar, "outcome=failed").await, "component"), ["nope"]);
    assert_eq!(names(&entries(&sidecar, "outcome=cancelled").await, "component"), [""; 0]);
    let verify = async |outcome: &str, count: u64| {
        let check = json!({"outcome": outcome, "count": count}).to_string();
        sidecar.post("/mynah/v1/verify", check).await.status
    };
    assert_eq!(verify("failed", 1).await, 200);
    let removed = send(&sidecar, "DELETE", &format!("{JOURNAL}?outcome=failed")).await;
    assert_eq!(removed, (200, r#"{"removed":1}"#.to_owned()));
    assert_eq!((verify("failed", 1).await, verify("ok", 1).await), (409, 200));
    let invalid = sidecar.get(&format!("{JOURNAL}?outcome=good")).await.json();
    let error = r#"invalid value "good" for outcome; expected one of: ok, failed, cancelled"#;
    assert_eq!(invalid["error"], error);
}

#[tokio::test]
async fn shows_the_beginning_of_large_requests_that_cannot_be_decoded() {
    let sidecar = Sidecar::start();
    let text = "é".repeat(30_000);
    let openai = json!({"n": 99, "messages": [{"role": "user", "content": text}]}).to_string();
    let alpha2 = json!({"inputs": text}).to_string();
    sidecar.post("/v1/chat/completions", openai.clone()).await;
    sidecar.post(ALPHA2, alpha2.clone()).await;
    let secret = json!({"n": 99, "api_key": "hush", "messages": text}).to_string();
    sidecar.post("/v1/chat/completions", secret).await;
    let all = entries(&sidecar, "").await;
    assert_eq!(all.len(), 3);
    for (entry, body) in all.iter().zip([openai, alpha2]) {
        let shown = entry["request"].as_str().unwrap();
        let (beginning, omitted) = shown.split_once("… and ").unwrap();
        assert!(body.starts_with(beginning) && beginning.len() > 16_000, "{shown}");
        assert_eq!(omitted, format!("{} more bytes", body.len() - beginning.len()));
    }
    let shown = all[2]["request"].as_str().unwrap();
    assert!(shown.len() < 17_000 && !shown.contains("hush"), "{shown}");
}

#[tokio::test]
async fn selects_entries() {
    let sidecar = Sidecar::start();
    for text in ["a", "b", "c"] {
        sidecar.converse(request([user(text)])).await.unwrap();
    }
    assert_eq!(names(&entries(&sidecar, "since=1").await, "number"), [2, 3]);
    assert_eq!(names(&entries(&sidecar, "component=other").await, "number"), [0; 0]);
    let page = sidecar.get(&format!("{JOURNAL}?since=1&limit=1")).await.json();
    assert_eq!((&page["next"], &page["more"]), (&json!(2), &json!(true)));
    let page = sidecar.get(&format!("{JOURNAL}?since=2")).await.json();
    assert_eq!((&page["next"], &page["more"]), (&json!(3), &json!(false)));
    let invalid = sidecar.get(&format!("{JOURNAL}?sesion=a")).await;
    assert_eq!(invalid.status, 400);
    let expected = "unknown query parameter \"sesion\"; \
                    expected one of: session, component, outcome, since, limit, normalized";
    assert_eq!(invalid.json(), json!({"error": expected}));
}

#[tokio::test]
async fn removes_entries() {
    let sidecar = Sidecar::start();
    for text in ["a", "b"] {
        sidecar.converse(request([user(text)])).await.unwrap();
    }
    let none = send(&sidecar, "DELETE", &format!("{JOURNAL}?component=other")).await;
    assert_eq!(none, (200, "{\"removed\":0}".to_owned()));
    let all = send(&sidecar, "DELETE", JOURNAL).await;
    assert_eq!(all, (200, "{\"removed\":2}".to_owned()));
    assert_eq!(entries(&sidecar, "").await, [Value::Null; 0]);
    sidecar.converse(request([user("c")])).await.unwrap();
    assert_eq!(names(&entries(&sidecar, "").await, "number"), [3], "numbers are not used again");
}

#[tokio::test]
async fn drops_and_counts_the_oldest_entries() {
    let sidecar = Sidecar::start_with(&["--journal-size=100Ki"]);
    let text = "x".repeat(10_000);
    for _ in 0..20 {
        sidecar.converse(request([user(&text)])).await.unwrap();
    }
    let reply = sidecar.get(JOURNAL).await.json();
    let kept = names(reply["entries"].as_array().unwrap(), "number");
    let dropped = reply["dropped"].as_u64().unwrap();
    assert!((1..20).contains(&kept.len()), "{kept:?}");
    assert_eq!(kept.len() as u64 + dropped, 20);
    assert_eq!(kept[0], dropped + 1, "the oldest are dropped");
    let metrics = format!("http://{}/metrics", sidecar.metrics.unwrap());
    let client = crate::support::http::direct_client();
    let metrics = sidecar.send(client.get(metrics)).await.body;
    assert!(metrics.contains(&format!("mynah_journal_dropped_total {dropped}\n")), "{metrics}");
}

#[tokio::test]
async fn can_be_turned_off() {
    let sidecar = Sidecar::start_with(&["--journal-size=0"]);
    sidecar.converse(request([user("a")])).await.unwrap();
    let reply = sidecar.get(JOURNAL).await;
    assert_eq!(reply.status, 503);
    let expected = "the journal is off; start mynah without --journal-size 0";
    assert_eq!(reply.json(), json!({"error": expected}));
}

/// A journal that is only written to a file cannot be read.
#[tokio::test]
async fn cannot_be_read_without_memory() {
    let file = scratch("journal").join("journal.jsonl");
    let flags = ["--journal", file.to_str().unwrap(), "--journal-size=0"];
    let sidecar = Sidecar::start_with(&flags);
    sidecar.converse(request([user("a")])).await.unwrap();
    let check = json!({"count": 0}).to_string();
    assert_eq!(sidecar.get(JOURNAL).await.status, 503);
    assert_eq!(sidecar.post("/mynah/v1/verify", check).await.status, 503);
    assert_eq!(sidecar.get("/mynah/v1/verdict").await.status, 503);
    assert_eq!(send(&sidecar, "DELETE", JOURNAL).await.0, 503);
    assert_eq!(send(&sidecar, "POST", "/mynah/v1/reset").await.0, 204);
}

#[tokio::test]
async fn shows_only_what_the_client_got() {
    let sidecar = Sidecar::start();
    for part in ["outputs", "choices", "message"] {
        let fault = json!({"component": "echo", "empty": part}).to_string();
        let put = direct_client().put(sidecar.url("/mynah/v1/faults")).body(fault);
        assert_eq!(sidecar.send(put).await.status, 204);
        sidecar.client().await.converse_alpha2(request([user("hi")])).await.unwrap();
    }
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2});
    let expected = [
        json!({"missing": "outputs"}),
        json!({"missing": "choices", "model": "echo", "usage": usage}),
        json!({"missing": "message", "finish_reason": "stop", "model": "echo", "usage": usage}),
    ];
    assert_eq!(names(&entries(&sidecar, "").await, "response"), expected);
}

const SCRIPTED: &str = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec: {type: conversation.scripted, version: v1}
";

#[tokio::test]
async fn shows_how_calls_end_and_what_answered() {
    let sidecar = Sidecar::with_components(SCRIPTED);
    let error = json!({"error": {"code": "UNAVAILABLE", "retry_after": "1.5s"}});
    sidecar.converse(request([chain(json!([error]))])).await.unwrap_err();
    let slow = json!([{"messages": [{"text": "late"}], "delay": "1h"}]);
    sidecar.abandon(request([chain(slow)])).await;
    let all = async || Some(entries(&sidecar, "").await).filter(|all| all.len() == 2);
    let all = wait_until(all, "the call was not recorded").await;
    assert_eq!(names(&all, "outcome"), ["failed", "cancelled"]);
    assert_eq!(all[0]["error"]["retry_after_ms"], 1500.0);
    assert_eq!(all[0]["answered_by"], json!([{"chain_in_message": 1, "step": 1}]));
    assert_eq!((&all[1]["response"], &all[1]["error"]), (&Value::Null, &Value::Null));
}

/// Calls a component whose second chunk never comes, and leaves some time after the first one.
#[expect(clippy::disallowed_methods, reason = "the sidecar is another process")]
async fn leave(sidecar: &Sidecar, deadline: &'static str, after: Duration) {
    let slow = json!([{"messages": [{"text": "one two"}], "chunk_delay": "1h"}]);
    let mut call = Request::new(request([chain(slow)]));
    call.metadata_mut().insert("grpc-timeout", deadline.parse().unwrap());
    let stream = sidecar.client().await.converse_stream_alpha2(call).await;
    let mut stream = stream.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();
    sleep(after).await;
}

/// The clock of a client starts before that of the server, so the client usually leaves first.
#[tokio::test]
async fn a_client_that_leaves_at_its_deadline_has_not_cancelled() {
    let sidecar = Sidecar::with_components(SCRIPTED);
    leave(&sidecar, "1H", Duration::ZERO).await;
    // The first chunk comes after the server's clock has started.
    leave(&sidecar, "1S", Duration::from_millis(950)).await;
    let all = async || Some(entries(&sidecar, "").await).filter(|all| all.len() == 2);
    let all = wait_until(all, "the calls were not recorded").await;
    let end = |entry: &Value| (entry["outcome"].clone(), entry["error"]["code"].clone());
    let ends: Vec<_> = all.iter().map(end).collect();
    let failed = (json!("failed"), json!("DEADLINE_EXCEEDED"));
    assert_eq!(ends, [(json!("cancelled"), Value::Null), failed]);
}

#[tokio::test]
async fn calls_are_logged() {
    let sidecar = Sidecar::start_with(&["--log-level=debug"]);
    let mut call = request([user("hi")]);
    call.metadata.insert("mynah-session".to_owned(), "a".to_owned());
    sidecar.converse(call).await.unwrap();
    let line = async || sidecar.log().lines().find(|it| it.contains("call ")).map(str::to_owned);
    let line = wait_until(line, "the call was not logged").await;
    for part in ["surface=\"grpc\"", "session=\"a\"", "component=\"echo\"", "outcome=\"ok\""] {
        assert!(line.contains(part), "{line}");
    }
    assert!(line.contains("duration_us="), "{line}");
}

#[tokio::test]
async fn needs_the_token() {
    let sidecar = Sidecar::start_in(&[("DAPR_API_TOKEN", "planted-token")], &[]);
    assert_eq!(sidecar.get(JOURNAL).await.status, 401);
    let client = crate::support::http::direct_client();
    let authorized = client.get(sidecar.url(JOURNAL)).header("dapr-api-token", "planted-token");
    assert_eq!(sidecar.send(authorized).await.status, 200);
}
