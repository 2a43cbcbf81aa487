//! Tests of participants that answer HTTP requests.

use std::{
    future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::spawn_blocking};

use super::play::play_agent;
use crate::{
    forward::stub::{Body, Stub, full},
    support::process::with_timeout,
};

fn response(status: u16, body: impl Into<Value>) -> Response<Body> {
    let body = match body.into() {
        Value::String(text) => text,
        json => json.to_string(),
    };
    let mut response = Response::new(full(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

/// Plays a conversation with an agent that has these keys. `ADDRESS` is the address of the server.
async fn play_with(server: &Stub, agent: &str, keys: &str) -> String {
    let agent = agent.replace("ADDRESS", &server.address.to_string());
    let keys = keys.to_owned();
    let play = spawn_blocking(move || play_agent(&agent, &keys, &[]));
    let text = with_timeout(play).await.unwrap();
    text.replace(&server.address.to_string(), "ADDRESS")
}

/// Starts a server that answers each request with a number, counted from 1.
async fn counting(
    respond: impl Fn(usize) -> Response<Body> + Send + Sync + Copy + 'static,
) -> Stub {
    let requests = Arc::new(AtomicUsize::new(0));
    Stub::start(move |_: Request<Incoming>| {
        let number = requests.fetch_add(1, Ordering::SeqCst) + 1;
        async move { respond(number) }
    })
    .await
}

#[tokio::test]
async fn templates_describe_the_conversation() {
    let (sender, mut requests) = mpsc::unbounded_channel();
    let server = Stub::start(move |request: Request<Incoming>| {
        let sender = sender.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            let body: Value = serde_json::from_slice(&body).unwrap();
            let _ = sender.send(format!("{} {} {body}", head.method, head.uri));
            response(200, json!({ "reply": ["a", "b"] }))
        }
    })
    .await;
    let agent = "http: {url: 'http://ADDRESS/chat/{{ conversation.id }}?turn={{ turn }}', reply: /reply, body: {\
                 message: '{{ last.content }}', text: 'From {{ last.sender }}: {{ last.content }}', \
                 unread: '{{ unread | map(attribute=\"content\") | list }}', \
                 number: '{{ turn }}', constant: [1, null, true]}}";
    let text = play_with(&server, agent, "max_messages: 6").await;
    assert_snapshot!(text, @"
    customer: one
    agent: a
    agent: b
    customer: two
    agent: a
    agent: b
    -- max_messages
    ");
    requests.close();
    let mut seen = Vec::new();
    while let Some(request) = requests.recv().await {
        seen.push(request);
    }
    assert_snapshot!(seen.join("\n"), @r#"
    POST /chat/s-0?turn=0 {"constant":[1,null,true],"message":"one","number":0,"text":"From customer: one","unread":["one"]}
    POST /chat/s-0?turn=1 {"constant":[1,null,true],"message":"two","number":1,"text":"From customer: two","unread":["two"]}
    "#);
}

#[tokio::test]
async fn null_and_blank_replies_pass() {
    let server = counting(|number| match number {
        1 => response(200, json!({ "reply": null })),
        2 => response(200, json!({ "reply": " " })),
        _ => response(200, json!({ "reply": "hello" })),
    })
    .await;
    let agent = "http: {url: 'http://ADDRESS/', reply: /reply}";
    // The agent is not asked about its own message.
    let text = play_with(&server, agent, "max_messages: 5").await;
    assert_snapshot!(text, @"
    customer: one
    customer: two
    customer: three
    agent: hello
    -- both_passed
    ");
}

#[tokio::test]
async fn without_a_pointer_the_body_is_the_reply() {
    let server = counting(|number| response(200, format!("answer {number}"))).await;
    let text = play_with(&server, "http: {url: 'http://ADDRESS/'}", "max_messages: 4").await;
    assert_snapshot!(text, @"
    customer: one
    agent: answer 1
    customer: two
    agent: answer 2
    -- max_messages
    ");
}

#[tokio::test]
async fn failures_end_the_conversation() {
    let cases: [fn(usize) -> Response<Body>; 5] = [
        |_| response(200, json!({ "answer": "a" })),
        |_| response(200, "no JSON"),
        |_| response(200, json!({ "reply": 7 })),
        |_| response(404, "no such agent"),
        |_| response(500, ""),
    ];
    let mut endings = Vec::new();
    for case in cases {
        let server = counting(case).await;
        let agent = "http: {url: 'http://ADDRESS/', reply: /reply}";
        endings.push(play_with(&server, agent, "").await.lines().last().unwrap().to_owned());
    }
    assert_snapshot!(endings.join("\n"), @r#"
    -- participant_error: agent: the response has no /reply
    -- participant_error: agent: the response is not JSON: expected ident at line 1 column 2
    -- participant_error: agent: the reply is a number; expected a text, a list of texts, an object with `content`, or null
    -- participant_error: agent: HTTP 404: no such agent
    -- participant_error: agent: HTTP 500
    "#);
    let server = Stub::echo().await;
    let agent = "http: {url: 'http://localhost:1/', reply: /reply}";
    let text = play_with(&server, agent, "").await;
    assert!(text.contains("-- participant_error: agent: cannot connect to localhost:1"), "{text}");
}

/// Only failures that may pass are retried.
#[tokio::test]
async fn requests_are_retried() {
    let unstable: fn(usize) -> Response<Body> = |number| match number {
        1 | 2 => response(503, "try again"),
        _ => response(200, json!({ "reply": "a" })),
    };
    let agent = |retries: u32| {
        format!("retries: {retries}, http: {{url: 'http://ADDRESS/', reply: /reply}}")
    };
    let server = counting(unstable).await;
    let text = play_with(&server, &agent(1), "").await;
    assert_snapshot!(text, @"
    customer: one
    -- participant_error: agent: HTTP 503: try again
    ");
    let server = counting(unstable).await;
    let text = play_with(&server, &agent(2), "max_messages: 2").await;
    assert_snapshot!(text, @"
    customer: one
    agent: a
    -- max_messages
    ");
    let server = counting(|number| match number {
        1 => response(400, "wrong"),
        _ => response(200, json!({ "reply": "a" })),
    })
    .await;
    assert!(play_with(&server, &agent(2), "").await.ends_with("HTTP 400: wrong"));
}

#[tokio::test]
async fn polls_until_the_agent_is_done() {
    let server = counting(|number| match number {
        1 => response(202, json!({ "status_url": "/status/1" })),
        2 => response(200, json!({ "status": "RUNNING" })),
        3 => response(200, json!({ "status": "COMPLETED", "output": "done" })),
        _ => {
            response(200, json!({ "status_url": "/status/2", "status": "FAILED", "output": null }))
        }
    })
    .await;
    let agent = "http: {url: 'http://ADDRESS/run', reply: /output, poll: {url: /status_url, \
                 done: {equals: COMPLETED}, failed: {equals: FAILED}, interval: 10ms}}";
    assert_snapshot!(play_with(&server, agent, "").await, @r#"
    customer: one
    agent: done
    customer: two
    -- participant_error: agent: the agent has failed: its state is "FAILED"
    "#);
    let server = counting(|number| match number {
        1 => response(202, json!({ "url": "/status/1" })),
        2 => response(200, json!({})),
        3 => response(200, json!({ "output": "done" })),
        _ => response(200, json!({})),
    })
    .await;
    let agent =
        "http: {url: 'http://ADDRESS/run', reply: /output, poll: {url: /url, interval: 10ms}}";
    assert_snapshot!(play_with(&server, agent, "").await, @"
    customer: one
    agent: done
    customer: two
    -- participant_error: agent: the response has no URL at /url
    ");
}

#[tokio::test]
async fn an_agent_that_is_never_done_times_out() {
    let server = counting(|number| match number {
        1 => response(202, json!({ "url": "/status/1" })),
        _ => response(200, json!({ "status": "RUNNING" })),
    })
    .await;
    let agent =
        "http: {url: 'http://ADDRESS/run', reply: /output, poll: {url: /url, interval: 10ms}}";
    let text = play_with(&server, agent, "message_timeout: 200ms").await;
    assert!(text.starts_with("customer: one\n-- participant_error: "), "{text}");
}

/// A status URL must not lead to addresses that the file does not name.
#[tokio::test]
async fn status_urls_must_be_allowed() {
    let server = counting(|_| response(202, json!({ "url": "http://127.0.0.1:1/status" }))).await;
    let agent =
        "http: {url: 'http://ADDRESS/run', reply: /output, poll: {url: /url, interval: 10ms}}";
    let text = play_with(&server, agent, "").await;
    assert!(text.contains("127.0.0.1:1 is not allowed"), "{text}");
}

/// A request without an answer leaves time for the retries.
#[tokio::test]
async fn requests_without_an_answer_are_retried() {
    let requests = Arc::new(AtomicUsize::new(0));
    let server = Stub::start(move |_: Request<Incoming>| {
        let number = requests.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            if number == 1 {
                future::pending::<()>().await;
            }
            response(200, "answer")
        }
    })
    .await;
    let agent = "retries: 1, http: {url: 'http://ADDRESS/'}";
    let text = play_with(&server, agent, "max_messages: 2\nmessage_timeout: 20s").await;
    assert_snapshot!(text, @"
    customer: one
    agent: answer
    -- max_messages
    ");
}

#[tokio::test]
async fn status_urls_may_be_relative() {
    let (sender, mut requests) = mpsc::unbounded_channel();
    let server = Stub::start(move |request: Request<Incoming>| {
        let path = request.uri().to_string();
        let body = match path.as_str() {
            "/agents/run" => json!({ "url": "status?id=1" }),
            _ => json!({ "output": "done" }),
        };
        let _ = sender.send(path);
        async move { response(200, body) }
    })
    .await;
    let agent = "http: {url: 'http://ADDRESS/agents/run', reply: /output, poll: {url: /url}}";
    let text = play_with(&server, agent, "max_messages: 2").await;
    assert_snapshot!(text, @"
    customer: one
    agent: done
    -- max_messages
    ");
    assert_eq!(requests.recv().await.unwrap(), "/agents/run");
    assert_eq!(requests.recv().await.unwrap(), "/agents/status?id=1");
    let server = counting(|_| response(200, json!({ "url": "http://[" }))).await;
    let text = play_with(&server, agent, "").await;
    let ending = text.lines().last().unwrap();
    assert_eq!(ending, "-- participant_error: agent: invalid status URL \"http://[\"");
}
