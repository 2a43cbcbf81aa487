//! Models that misbehave.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tonic::Code;

use super::{
    component, recorder_with,
    server::{Model, hello, mynah, named, response},
    stop,
};
use crate::support::{
    Sidecar,
    messages::{
        assistant_with_calls, developer, request, system, tool, tool_call, tool_result, user,
    },
    scratch,
};

/// Returns the error of a call to a model.
async fn error_of(model: &Model) -> String {
    let status = mynah(model).converse(hello()).await.unwrap_err();
    format!("{:?}: {}", status.code(), status.message())
}

/// The texts are those of daprd for the same answers.
#[tokio::test]
async fn errors_are_those_of_daprd() {
    let cases = [
        ("429 Too Many", r#"{"error":{"message":"slow down"}}"#),
        ("401 Unauthorized", r#"{"error":{"message":"Incorrect API key provided"}}"#),
        ("201 Created", r#"{"choices":[]}"#),
        ("500 Internal", ""),
        ("502 Bad Gateway", "<html>bad gateway</html>"),
        ("503 Unavailable", r#"{"error":"overloaded"}"#),
        ("301 Moved", ""),
        ("200 OK", r#"{"error":{"message":"oops"}}"#),
        ("200 OK", r#"{"choices":[]}"#),
        ("200 OK", ""),
        ("200 OK", "hello"),
        ("200 OK", r#"{"choices":[{"mess"#),
    ];
    let mut errors = Vec::new();
    for (status, body) in cases {
        errors.push(error_of(&Model::json(status, body).await).await);
    }
    assert_snapshot!(errors.join("\n"));
}

#[tokio::test]
async fn answers_that_end_too_early_are_errors() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{\"choices\":";
    let endless = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{}",
        " ".repeat(20 << 20)
    );
    let mut errors = Vec::new();
    for reply in [cut.to_owned(), String::new(), endless] {
        errors.push(error_of(&Model::start(reply).await).await);
    }
    let unreachable = Model { endpoint: "http://127.0.0.1:9".to_owned(), ..Model::start("").await };
    errors.push(error_of(&unreachable).await);
    assert_snapshot!(errors.join("\n"));
}

/// HTTP also has dates for that.
#[tokio::test]
async fn a_retry_waits_until_the_date_that_the_model_names() {
    // The clock of this machine is before that date, and after the other one.
    for (date, is_future) in
        [("Wed, 21 Oct 2099 07:28:00 GMT", true), ("Wed, 21 Oct 2015 07:28:00 GMT", false)]
    {
        let reply =
            format!("HTTP/1.1 503 Busy\r\nretry-after: {date}\r\ncontent-length: 0\r\n\r\n");
        let sidecar = mynah(&Model::start(reply).await);
        let client = crate::support::http::direct_client();
        let body = r#"{"model":"gpt","messages":[{"role":"user","content":"a"}]}"#;
        let reply =
            client.post(sidecar.url("/v1/chat/completions")).body(body).send().await.unwrap();
        let seconds: u64 = reply.headers()["retry-after"].to_str().unwrap().parse().unwrap();
        assert_eq!(seconds > 24 * 3600, is_future, "{seconds}");
        assert!(is_future || seconds == 0, "{seconds}");
    }
}

#[tokio::test]
async fn a_retry_waits_as_the_model_asks() {
    let reply = "HTTP/1.1 429 Too Many\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n";
    let model = Model::start(reply).await;
    let sidecar = mynah(&model);
    let client = crate::support::http::direct_client();
    let bodies = [
        (
            "/v1.0-alpha2/conversation/gpt/converse",
            r#"{"inputs":[{"messages":[{"ofUser":{"content":[{"text":"a"}]}}]}]}"#,
        ),
        ("/v1/chat/completions", r#"{"model":"gpt","messages":[{"role":"user","content":"a"}]}"#),
        ("/v1/chat/completions", STREAM),
    ];
    for (path, body) in bodies {
        let reply = client.post(sidecar.url(path)).body(body).send().await.unwrap();
        assert_eq!(reply.status(), 500, "{path}");
        assert_eq!(reply.headers()["retry-after"], "7", "{path}");
    }
    let whole = sidecar.converse(hello()).await.unwrap_err();
    let streamed = crate::support::stream(&sidecar, hello()).await.unwrap_err();
    for status in [whole, streamed] {
        let details = status.details();
        assert!(String::from_utf8_lossy(details).contains("google.rpc.RetryInfo"), "{status:?}");
        // The encoded delay of 7 seconds.
        assert!(details.windows(4).any(|bytes| bytes == [10, 2, 8, 7]), "{status:?}");
    }
}

/// A stream of a model: reasoning, text, a tool call in pieces, then usage.
const EVENTS: &str = r#"data: {"model":"real-1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}

: a comment

data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}

data: {"choices":[{"index":0,"delta":{"content":"Let me"}}]}

data: {"choices":[{"index":0,"delta":{"content":" look."}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"get_weather","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Oslo\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11}}

data: [DONE]

"#;

const STREAM: &str = r#"{"model":"gpt","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"weather?"}]}"#;

#[tokio::test]
async fn streams_pass() {
    let mut model = Model::start(response("200 OK", "text/event-stream", EVENTS)).await;
    let reply = mynah(&model).post_for_events("/v1/chat/completions", STREAM).await;
    let events = reply.body.lines().filter_map(|line| line.strip_prefix("data: {"));
    let deltas: Vec<Value> =
        events.map(|event| serde_json::from_str(&format!("{{{event}")).unwrap()).collect();
    let shown: Vec<_> = deltas
        .iter()
        .map(|event| {
            format!("{} {}", event["choices"][0]["delta"], event["choices"][0]["finish_reason"])
        })
        .collect();
    assert_snapshot!(shown.join("\n"));
    assert_eq!(deltas.last().unwrap()["usage"]["total_tokens"], 11);
    let body = model.body().await;
    assert_eq!(
        (&body["stream"], &body["stream_options"]),
        (&json!(true), &json!({ "include_usage": true }))
    );
}

/// A server that does not know the option for the usage gets the request again without it.
#[tokio::test]
async fn a_stream_without_usage_is_asked_for() {
    for status in ["400 Bad Request", "422 Unprocessable"] {
        let refusal = r#"{"error":{"message":"unknown key stream_options"}}"#;
        let refusal = response(status, "application/json", refusal);
        let events = response("200 OK", "text/event-stream", EVENTS);
        let mut model = Model::answering(move |request| {
            if request.contains("stream_options") { refusal.clone() } else { events.clone() }
        })
        .await;
        let reply = mynah(&model).post_for_events("/v1/chat/completions", STREAM).await;
        assert!(reply.body.contains("Let me") && reply.body.contains("[DONE]"), "{}", reply.body);
        let [mut first, second] = [model.body().await, model.body().await];
        let options = first.as_object_mut().unwrap().remove("stream_options");
        assert_eq!((options, first), (Some(json!({ "include_usage": true })), second));
        assert!(model.requests.try_recv().is_err());
    }
    // Other refusals are errors at once.
    let mut model = Model::json("400 Bad Request", r#"{"error":{"message":"no"}}"#).await;
    let body = mynah(&model).post_for_events("/v1/chat/completions", STREAM).await.body;
    assert!(body.contains("unexpected status code: 400: no"), "{body}");
    model.body().await;
    assert!(model.requests.try_recv().is_err());
}

#[tokio::test]
async fn a_stream_that_is_cut_is_an_error_and_not_recorded() {
    let (start, _) =
        EVENTS.split_at(EVENTS.find("data: {\"choices\":[{\"index\":0,\"delta\":{},").unwrap());
    let model = Model::start(response("200 OK", "text/event-stream", start)).await;
    let recordings = scratch("recordings");
    let sidecar = recorder_with(&component(&model.endpoint), &recordings, &[]);
    let text = sidecar.post("/v1/chat/completions", STREAM).await.body;
    assert!(text.contains("Let me") && text.contains("unexpected EOF"), "{text}");
    stop(sidecar).await;
    assert!(!recordings.join("gpt.yaml").exists());
}

#[tokio::test]
async fn requests_are_those_of_daprd() {
    let reply = r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#;
    let mut model = Model::json("200 OK", reply).await;
    let call = named(request([
        system("sys"),
        developer("dev"),
        user("weather?"),
        assistant_with_calls("", [tool_call("c1", "f", "{}")]),
        tool_result("c1", "f", "res"),
    ]));
    let tools = vec![tool("get_weather", json!({ "type": "object" }))];
    let call = mynah::internals::wire::proto::ConversationRequestAlpha2 { tools, ..call };
    let answer = mynah(&model).converse(call).await.unwrap();
    assert_eq!((&*answer.content, &*answer.finish_reason), ("hi", "stop"));
    let request = model.requests.recv().await.unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{head}");
    assert!(head.contains("authorization: Bearer planted-key-123456"), "{head}");
    assert_snapshot!(
        serde_json::to_string_pretty(&serde_json::from_str::<Value>(body).unwrap()).unwrap()
    );
}

#[tokio::test]
async fn a_deadline_ends_the_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/v1", listener.local_addr().unwrap());
    let folder = component(&endpoint);
    let sidecar = Sidecar::start_with(&[
        "--resources-path",
        folder.to_str().unwrap(),
        "--upstream",
        "openai",
    ]);
    let mut call = tonic::Request::new(hello());
    call.set_timeout(Duration::from_millis(300));
    let status = sidecar.client().await.converse_alpha2(call).await.unwrap_err();
    // The clocks of the client and of the server race.
    assert!(matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled), "{status:?}");
}
