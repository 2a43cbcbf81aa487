//! Tests of faults on other surfaces than gRPC.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
};

use mynah::internals::wire::json;
use serde_json::json;
use tonic::Code;

use super::{ALPHA2, COMPLETIONS, component, faulty};
use crate::support::{Sidecar, http::direct_client, messages::prompt, mynah, scratch};

fn completion(is_streamed: bool) -> String {
    let messages = json!([{"role": "user", "content": "one two three"}]);
    json!({"model": "echo", "messages": messages, "stream": is_streamed}).to_string()
}

#[tokio::test]
async fn a_fault_applies_to_its_surfaces() {
    let error = json!({"code": "ABORTED"});
    let alpha2 = json::write(&prompt("hi", [])).unwrap();
    for (surface, expected) in [
        ("grpc", [true, false, false]),
        ("http", [false, true, false]),
        ("openai", [false, false, true]),
    ] {
        let sidecar = faulty(json!({"surfaces": [surface], "error": error}));
        let grpc = sidecar.converse(prompt("hi", [])).await.err().map(|status| status.code());
        let http = sidecar.post(ALPHA2, alpha2.clone()).await.status;
        let openai = sidecar.post(COMPLETIONS, completion(false)).await.status;
        let failed = [grpc == Some(Code::Aborted), http == 409, openai == 409];
        assert_eq!(failed, expected, "{surface}");
    }
}

#[tokio::test]
async fn an_error_has_the_form_of_each_api() {
    let error = json!({"code": "RESOURCE_EXHAUSTED", "message": "slow down",
        "retry_after": "1500ms", "details": {"reason": "QUOTA"}});
    let sidecar = faulty(json!({"error": error}));
    let alpha2 = json::write(&prompt("hi", [])).unwrap();
    for (path, body, expected) in [
        (
            ALPHA2,
            alpha2,
            json!({
                "errorCode": "ERR_CONVERSATION_INVOKE",
                "message": "failed conversing with component echo: slow down",
                "details": [
                    {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "QUOTA"},
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.500s"},
                ],
            }),
        ),
        (
            COMPLETIONS,
            completion(true),
            json!({"error": {
                "message": "slow down", "type": "rate_limit_error", "param": null, "code": "QUOTA",
            }}),
        ),
    ] {
        let reply = direct_client().post(sidecar.url(path)).body(body).send().await.unwrap();
        assert_eq!(
            (reply.status().as_u16(), &reply.headers()["retry-after"]),
            (429, &"2".parse().unwrap())
        );
        let body = reply.text().await.unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&body).unwrap(), expected);
    }
}

/// Sends a request over HTTP/1.1 and reads until the connection ends.
fn exchange(sidecar: &Sidecar, path: &str, body: &str) -> (String, Option<ErrorKind>) {
    let mut stream = TcpStream::connect(sidecar.http).unwrap();
    let length = body.len();
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes()).unwrap();
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    let error = loop {
        match stream.read(&mut buffer) {
            Ok(0) => break None,
            Ok(count) => read.extend_from_slice(&buffer[..count]),
            Err(error) => break Some(error.kind()),
        }
    };
    (String::from_utf8(read).unwrap(), error)
}

#[tokio::test]
async fn connections_are_reset_or_closed() {
    let alpha2 = json::write(&prompt("one two three", [])).unwrap();
    let sidecar = faulty(json!({"reset": true}));
    for (path, body) in [(ALPHA2, alpha2.clone()), (COMPLETIONS, completion(false))] {
        let (_, error) = exchange(&sidecar, path, &body);
        assert_eq!(error, Some(ErrorKind::ConnectionReset), "{path}");
    }
    let sidecar = faulty(json!({"cut_after": 1}));
    let (text, error) = exchange(&sidecar, COMPLETIONS, &completion(true));
    assert_eq!(error, None);
    assert!(text.contains("\"one\"") && !text.contains("two"), "{text}");
    assert!(!text.ends_with("0\r\n\r\n"), "{text}");
}

#[tokio::test]
async fn invalid_faults_are_refused() {
    let folder = scratch("faults");
    let file = folder.join("echo.yaml");
    let error = json!({"error": {"code": "ABORTED"}, "trailers_only": true});
    std::fs::write(&file, component("echo", error)).unwrap();
    let output = mynah().arg("check").arg(&file).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let expected = "echo.yaml:7:36: faults: trailers_only: cannot be expressed on http and openai; \
        set surfaces to [\"grpc\"], [\"component\"] or both";
    assert!(text.contains(expected), "{text}");
}
