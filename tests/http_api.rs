//! Tests of the HTTP API: daprd's variant of proto JSON, daprd's URL rules, and server-sent events.

use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    http::{direct_builder, direct_client},
};

const ALPHA1: &str = "/v1.0-alpha1/conversation/echo/converse";
const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

fn hello() -> String {
    json!({"inputs": [{"messages": [{"ofUser": {"content": [{"text": "Hello, world!"}]}}]}]})
        .to_string()
}

/// Returns the expected output for this text.
fn output(content: &str, tokens: &str, total: &str) -> Value {
    json!({
        "choices": [{"finishReason": "stop", "message": {"content": content}}],
        "model": "echo",
        "usage": {"completionTokens": tokens, "promptTokens": tokens, "totalTokens": total},
    })
}

#[tokio::test]
async fn answers_have_the_format_of_daprd() {
    let sidecar = Sidecar::start();
    let reply = sidecar.post(ALPHA2, hello()).await;
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "application/json"));
    assert_eq!(reply.json(), json!({"outputs": [output("Hello, world!", "3", "6")]}));
}

#[tokio::test]
async fn accepts_both_key_styles_nulls_and_unknown_fields() {
    let sidecar = Sidecar::start();
    let body = json!({
        "context_id": "c", "promptCacheRetention": "86400s", "temperature": "0.5",
        "tools": null, "toolChoice": null, "max_tokens": "7", "nonsense": {"a": 1},
        "parameters": {"p": {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": "v"}},
        "response_format": null, "scrub_pii": null,
        "inputs": [{"scrubPII": "whatever", "messages": [
            {"of_user": {"name": "n", "content": [{"text": "hi"}]}},
            {"ofAssistant": {"content": [], "tool_calls": [{"id": "1", "function": {"name": "f"}}]}},
        ]}],
    });
    let reply = sidecar.post(ALPHA2, body.to_string()).await;
    assert_eq!(reply.json(), json!({"contextId": "c", "outputs": [output("hi", "1", "2")]}));
    let nan = r#"{"temperature": "NaN", "inputs": [{}]}"#;
    assert_eq!(sidecar.post(ALPHA2, nan).await.status, 200);
}

/// Bodies with a duration are parsed by reflection, and all others by the fast parser.
#[tokio::test]
async fn both_parsers_give_the_same_answer() {
    let sidecar = Sidecar::start();
    let body = |retention: Value| {
        json!({
            "promptCacheRetention": retention, "contextId": "c", "temperature": 0.5, "max_tokens": 7,
            "toolChoice": "get_weather", "metadata": {"a": "b"}, "nonsense": [{}, null],
            "inputs": [{"scrubPii": true, "messages": [
                {"ofSystem": {"name": null, "content": [{"text": "s"}]}},
                {"of_tool": {"toolId": "1", "name": "get_time", "content": [{"text": "noon"}]}},
                {"ofUser": {"content": [{"text": "What is the weather in Zürich?"}]}},
            ]}],
            "tools": [{"function": {"name": "get_weather", "description": "d", "parameters": {
                "type": "object", "required": ["city"], "additionalProperties": false, "properties": {
                    "city": {"type": "string"}, "days": {"type": "integer", "minimum": 2, "maximum": 2},
                    "scale": {"enum": [null, true, 1.5, "c", [1], {"a": {}}]}}}}}],
        })
    };
    let plain = sidecar.post(ALPHA2, body(Value::Null).to_string()).await;
    let call = &plain.json()["outputs"][0]["choices"][0]["message"]["toolCalls"][0]["function"];
    assert_eq!(call["name"], "get_weather", "{}", plain.body);
    let with_duration = sidecar.post(ALPHA2, body(json!("60s")).to_string()).await;
    assert_eq!(with_duration.body, plain.body);
}

#[tokio::test]
async fn alpha1_uses_its_own_keys_and_sorts_parameters() {
    let sidecar = Sidecar::start();
    let body = json!({
        "contextID": "c1",
        "inputs": [{"content": "a", "scrubPII": false}],
        "parameters": {
            "z": {"@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "5"},
            "a": {"@type": "type.googleapis.com/google.protobuf.Struct",
                  "value": {"b": 1, "a": [1.5, null]}},
        },
    });
    let reply = sidecar.post(ALPHA1, body.to_string()).await;
    let parameters = concat!(
        r#"{"a":{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"a":[1.5,null],"b":1}},"#,
        r#""z":{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"5"}}"#
    );
    let expected =
        format!(r#"{{"contextID":"c1","outputs":[{{"parameters":{parameters},"result":"a"}}]}}"#);
    assert_eq!(reply.body, expected);
}

#[tokio::test]
async fn bodies_of_the_other_version_have_no_content() {
    let sidecar = Sidecar::start();
    let alpha1 = sidecar.post(ALPHA1, hello()).await;
    assert_eq!(alpha1.json(), json!({"outputs": [{}]}));
    let alpha2 = sidecar.post(ALPHA2, r#"{"inputs":[{"content":"x"}]}"#).await;
    assert_eq!(alpha2.json()["outputs"][0]["choices"][0]["message"], json!({}));
}

#[tokio::test]
async fn malformed_bodies_get_an_error_with_a_position() {
    let sidecar = Sidecar::start();
    let deep = "[".repeat(10_000);
    let cases = [
        ("{bad", "syntax error (line 1:2): key must be a string"),
        ("null", "(line 1:4): invalid type: null, expected a map"),
        ("[]", "(line 1:1): invalid type: sequence, expected a map"),
        (r#"{"inputs": ["#, "unexpected EOF"),
        (r#"{"inputs": []} x"#, "syntax error (line 1:16): trailing characters"),
        (r#"{"inputs": "x"}"#, "(line 1:14): invalid type: string \"x\", expected a list"),
        (
            r#"{"promptCacheRetention": "1h", "inputs": [{}]}"#,
            "(line 1:29): not a duration in seconds, such as \"86400s\"",
        ),
        (
            r#"{"inputs": [{"messages": [{"ofUser": {}, "ofSystem": {}}]}]}"#,
            "(line 1:56): multiple fields provided for oneof 'message_types'",
        ),
        (
            r#"{"parameters": {"p": {"@type": "type.googleapis.com/foo.Bar"}}}"#,
            "(line 1:61): message 'foo.Bar' not found",
        ),
    ];
    for (body, expected) in cases {
        let reply = sidecar.post(ALPHA2, body).await;
        assert_eq!(reply.status, 400, "{body}");
        let message = format!("failed deserializing HTTP body: proto: {expected}");
        let expected = json!({"errorCode": "ERR_MALFORMED_REQUEST", "message": message});
        assert_eq!(reply.json(), expected, "{body}");
    }
    let nested = format!(r#"{{"responseFormat": {{"a": {deep}"#);
    let reply = sidecar.post(ALPHA2, nested).await;
    assert_eq!(reply.status, 400);
    assert!(reply.body.len() < 300, "too long: {}", reply.body);
}

#[tokio::test]
async fn reads_an_empty_body_as_an_empty_message() {
    let sidecar = Sidecar::start();
    let reply = sidecar.post(ALPHA2, "").await;
    assert_eq!(reply.status, 400);
    assert_eq!(reply.json()["errorCode"], "ERR_CONVERSATION_MISSING_INPUTS");
}

#[tokio::test]
async fn escapes_markup_in_errors_like_go() {
    let sidecar = Sidecar::start();
    let reply = sidecar.post("/v1.0-alpha2/conversation/a%3Cb&c%3E/converse", hello()).await;
    let expected = r"failed finding conversation component a\u003cb\u0026c\u003e";
    assert!(reply.body.contains(expected), "{}", reply.body);
}

#[tokio::test]
async fn parses_urls_like_daprd() {
    let yaml = "\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: we-ird+x}
spec: {type: conversation.echo}
";
    let sidecar = Sidecar::with_components(yaml);
    let paths = [
        ("/v1.0-alpha2/conversation/we-ird%2Bx/converse", 200),
        ("/v1.0-alpha2/conversation/we-ird%2Bx/converse/", 200),
        ("//v1.0-alpha2//conversation/we-ird%2Bx/converse", 200),
        ("/v1.0-alpha2/conversation/we-ird+x/converse", 400),
        ("/v1.0-alpha2/conversation/we-ird%2Bx/converse?metadata.a=b", 200),
        ("/v1.0-alpha2/conversation/%zz/converse", 400),
        ("/v1.0/conversation/we-ird%2Bx/converse", 404),
        ("/v1.0-alpha3/conversation/we-ird%2Bx/converse", 404),
        ("/", 404),
    ];
    for (path, status) in paths {
        assert_eq!(sidecar.post(path, hello()).await.status, status, "{path}");
    }
    let plus = sidecar.post(paths[3].0, hello()).await;
    let message = "failed finding conversation component we-ird x";
    assert_eq!(plus.json()["message"], message);
    let broken = sidecar.post(paths[5].0, hello()).await;
    assert_eq!(broken.content_type, "text/plain; charset=utf-8");
    assert_eq!(broken.body, "failed to unescape request parameter \"%zz\"");
}

#[tokio::test]
async fn uses_the_name_in_the_path_and_ignores_the_content_type() {
    let sidecar = Sidecar::start();
    let body = r#"{"name": "nope", "inputs": [{}]}"#;
    assert_eq!(sidecar.post(ALPHA2, body).await.status, 200);
    let request = direct_client().post(sidecar.url(ALPHA2));
    let request = request.header("content-type", "text/html").body(hello());
    assert_eq!(sidecar.send(request).await.status, 200);
}

#[tokio::test]
async fn other_paths_and_methods_list_the_served_ones() {
    let sidecar = Sidecar::start();
    let client = direct_client();
    let requests = [
        client.get(sidecar.url(ALPHA2)),
        client.put(sidecar.url(ALPHA2)),
        client.request(reqwest::Method::OPTIONS, sidecar.url(ALPHA2)),
        client.get(sidecar.url("/v1.0/state/store/key")),
        client.get(sidecar.url("/healthz")),
        client.post(sidecar.url("/v1.0/metadata")),
        client.get(sidecar.url("/v1.0/shutdown")),
    ];
    for request in requests {
        let name = format!("{request:?}");
        let reply = sidecar.send(request).await;
        assert_eq!(reply.status, 404, "{name}");
        assert_eq!(reply.json()["errorCode"], "ERR_DIRECT_INVOKE", "{name}");
        assert_eq!(reply.json()["message"], crate::errors::NOT_SERVED, "{name}");
    }
    let head = sidecar.send(client.head(sidecar.url("/v1.0/healthz"))).await;
    assert_eq!(head.status, 404);
}

#[tokio::test]
async fn streams_chunks_and_one_complete_event() {
    let sidecar = Sidecar::start();
    let reply = sidecar.post_for_events(ALPHA2, hello()).await;
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "text/event-stream"));
    let complete = json!({"complete": {"outputs": [output("Hello, world!", "3", "6")]}});
    let expected = [
        ("message", json!({"chunk": {"content": "Hello,"}})),
        ("message", json!({"chunk": {"content": " world!"}})),
        ("message", complete),
    ];
    assert_eq!(reply.events(), expected);

    let alpha1 = r#"{"contextID": "c", "inputs": [{"content": "a b"}]}"#;
    let reply = sidecar.post_for_events(ALPHA1, alpha1).await;
    let usage = json!({"promptTokens": "1", "completionTokens": "1", "totalTokens": "2"});
    let complete =
        json!({"complete": {"contextID": "c", "outputs": [{"result": "a b"}], "usage": usage}});
    assert_eq!(reply.events().last(), Some(&("message", complete)));
}

#[tokio::test]
async fn serves_http2_without_tls() {
    let sidecar = Sidecar::start();
    let client = direct_builder().http2_prior_knowledge().build().unwrap();
    let response = client.post(sidecar.url(ALPHA2)).body(hello()).send().await.unwrap();
    assert_eq!(response.version(), reqwest::Version::HTTP_2);
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn a_body_of_alpha1_on_the_path_of_alpha2_is_empty_and_warned_of_once() {
    let sidecar = Sidecar::start();
    for _ in 0..2 {
        let reply = sidecar.post(ALPHA2, r#"{"inputs": [{"content": "x"}]}"#).await;
        assert_eq!(reply.status, 200);
        let choices = json!([{"finishReason": "stop", "message": {}}]);
        assert_eq!(reply.json()["outputs"][0]["choices"], choices);
    }
    // An input may be empty on purpose.
    assert_eq!(sidecar.post(ALPHA2, r#"{"inputs": [{}]}"#).await.status, 200);
    let warnings = sidecar.log().matches("has `content`, as in Alpha1").count();
    assert_eq!(warnings, 1, "{}", sidecar.log());
}
