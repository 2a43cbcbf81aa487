//! Tests of HTTP bodies. `limits.rs` tests the exact size limit.

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::survives;
use crate::support::{Sidecar, process::with_timeout};

const ALPHA1: &str = "/v1.0-alpha1/conversation/echo/converse";
const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";
const MIB: usize = 1024 * 1024;

/// Returns a body whose `responseFormat` has these members.
fn format(members: &str) -> String {
    format!(r#"{{"inputs": [{{}}], "responseFormat": {{{members}}}}}"#)
}

#[tokio::test]
async fn rejects_invalid_bodies() {
    let sidecar = Sidecar::start();
    let deep = 10_000;
    let (open, close) = ("[".repeat(deep), "]".repeat(deep));
    let malformed = "ERR_MALFORMED_REQUEST";
    let cases: [(&str, Vec<u8>, u16, &str); 14] = [
        ("empty", vec![], 400, "ERR_CONVERSATION_MISSING_INPUTS"),
        ("5 MiB of blanks", vec![b' '; 5 * MIB], 400, "ERR_BODY_READ"),
        ("4 MiB of blanks", vec![b' '; 4 * MIB], 400, malformed),
        ("deeply nested lists", format(&format!("\"a\": {open}{close}")).into(), 400, malformed),
        ("deeply nested objects", format(&"\"a\":{".repeat(deep)).into(), 400, malformed),
        ("unclosed lists", open.into(), 400, malformed),
        ("invalid UTF-8", b"{\"inputs\": [{\"messages\": \"\xff\xfe\"}]}".into(), 400, malformed),
        ("invalid UTF-8 in a key", b"{\"\xc3\x28\": 1}".into(), 400, malformed),
        ("an unpaired surrogate", br#"{"name": "\ud800"}"#.into(), 400, malformed),
        ("NaN", format("\"a\": NaN").into(), 400, malformed),
        ("infinity", format("\"a\": Infinity").into(), 400, malformed),
        ("a number that is too large", format("\"a\": 1e999").into(), 400, malformed),
        (
            "two members of a oneof",
            br#"{"inputs": [{"messages": [{"ofUser": {}, "ofTool": {}}]}]}"#.into(),
            400,
            malformed,
        ),
        (
            "an unset oneof",
            br#"{"inputs": [{"messages": [{}]}]}"#.into(),
            400,
            "ERR_CONVERSATION_INVALID_PARMS",
        ),
    ];
    for (what, body, status, code) in cases {
        let reply = survives(&sidecar, sidecar.post(ALPHA2, body)).await;
        assert_eq!(reply.status, status, "{what}: {}", reply.body);
        assert_eq!(reply.json()["errorCode"], code, "{what}: {}", reply.body);
        assert!(reply.body.len() < 300, "{what}: {}", reply.body);
    }
}

#[tokio::test]
async fn accepts_a_body_of_four_mebibytes() {
    let sidecar = Sidecar::start();
    let mut body =
        r#"{"inputs": [{"messages": [{"ofUser": {"content": [{"text": "hello"}]}}]}],"#.to_owned();
    body += r#""metadata": {"filler": ""#;
    body += &"x".repeat(4 * MIB - body.len() - 3);
    body += "\"}}";
    assert_eq!(body.len(), 4 * MIB);
    let reply = survives(&sidecar, sidecar.post(ALPHA2, body)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.body.contains("hello"), "{}", reply.body);
}

/// Sends a POST request with a body of 8 MiB, then reads the response.
async fn send_all(sidecar: &Sidecar, path: &str, header: &str) -> String {
    let mut connection = TcpStream::connect(sidecar.http).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\n{header}Content-Length: {}\r\n\r\n",
        8 * MIB
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    with_timeout(connection.write_all(&vec![b' '; 8 * MIB])).await.unwrap();
    let mut response = String::new();
    with_timeout(connection.read_to_string(&mut response)).await.unwrap();
    response
}

/// The server answers before it has read the body. Many clients send the whole body before they read
/// the response, so the server must not reset the connection.
#[tokio::test]
async fn answers_clients_that_send_the_whole_body_first() {
    let sidecar = Sidecar::start();
    let guarded = Sidecar::start_in(&[("DAPR_API_TOKEN", "secret")], &[]);
    let cases = [
        (&sidecar, ALPHA2, "", "400", "ERR_BODY_READ"),
        (&sidecar, "/v1.0/nothing", "", "404", "mynah serves the conversation API only"),
        (&sidecar, ALPHA2, "Origin: https://evil.example\r\n", "403", "ERR_FORBIDDEN"),
        (&guarded, ALPHA2, "", "401", "invalid api token"),
    ];
    for (sidecar, path, header, status, text) in cases {
        let response = send_all(sidecar, path, header).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{response}");
        assert!(response.contains(text), "{response}");
    }
}

#[tokio::test]
async fn rejects_an_any_without_a_known_type() {
    let sidecar = Sidecar::start();
    let cases = [
        (json!({}), "expected '@type' field"),
        (json!({"value": "v"}), "expected '@type' field"),
        (json!({"@type": ""}), "unsupported type url ''"),
        (json!({"@type": "type.googleapis.com/"}), "message '' not found"),
        (
            json!({"@type": "type.googleapis.com/google.protobuf.Any", "value": {}}),
            "expected '@type' field",
        ),
    ];
    for (parameter, expected) in cases {
        for path in [ALPHA1, ALPHA2] {
            let body = json!({"inputs": [{}], "parameters": {"p": parameter}});
            let reply = survives(&sidecar, sidecar.post(path, body.to_string())).await;
            assert_eq!(reply.status, 400, "{parameter}: {}", reply.body);
            assert!(reply.body.contains(expected), "{parameter}: {}", reply.body);
        }
    }
}

#[tokio::test]
async fn uses_the_last_of_duplicate_keys() {
    let sidecar = Sidecar::start();
    let user = |text: &str| {
        format!(r#"{{"messages": [{{"ofUser": {{"content": [{{"text": "{text}"}}]}}}}]}}"#)
    };
    let body = format!(r#"{{"inputs": [{}], "inputs": [{}]}}"#, user("first"), user("second"));
    let reply = survives(&sidecar, sidecar.post(ALPHA2, body)).await;
    assert_eq!(reply.json()["outputs"][0]["choices"][0]["message"]["content"], "second");
}

/// Each body has 1 MiB of JSON that needs as much memory as possible. After the first round, the
/// allocator has reserved enough memory, and a second round must not need more.
#[tokio::test]
async fn memory_of_a_body_is_proportional_and_released() {
    let sidecar = Sidecar::start();
    let many = |what: &str| what.repeat(MIB / what.len());
    let any = r#""parameters": {"p": {"value": [VALUES0], "@type": "type.googleapis.com/google.protobuf.ListValue"}}"#;
    let bodies = [
        format(&format!("\"a\": [{}1]", many("1,"))),
        format(&format!("\"a\": [{}0]", many("{},"))),
        format!(r#"{{"inputs": [{}{{}}]}}"#, many("{},")),
        format!(r#"{{"inputs": [{{}}], "tools": [{}{{}}]}}"#, many("{},")),
        format!(
            r#"{{"inputs": [{{"messages": [{}{{"ofUser": {{}}}}]}}]}}"#,
            many(r#"{"ofUser":{}},"#)
        ),
        format!(r#"{{"inputs": [{{}}], {}}}"#, any.replace("VALUES", &many("0,"))),
    ];
    for body in &bodies {
        sidecar.post(ALPHA2, body.clone()).await;
    }
    for body in bodies {
        let start = body[..60].to_owned();
        let reply = survives(&sidecar, sidecar.post(ALPHA2, body)).await;
        assert_eq!(reply.status, 200, "{start}: {}", reply.body);
        let peak = super::peak(&sidecar);
        assert!(peak < 256 * 1024, "{start}: {peak} KiB");
    }
}
