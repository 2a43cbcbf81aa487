//! Models and disks that do harm.

use std::{fs, os::unix::fs::symlink};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::{
    component, component_of, model, recorded, recorder,
    server::{hello, named},
    stop,
    tls_server::TlsModel,
};
use crate::{
    robustness::peak,
    support::{
        Sidecar,
        messages::{request, user},
        process::wait_until,
        scratch,
    },
};

/// Maximum memory of a mynah that reads large answers, in KiB.
const MAX_MEMORY: usize = 200 * 1024;

fn mynah(endpoint: &str) -> Sidecar {
    let folder = component(endpoint);
    Sidecar::start_with(&["--resources-path", folder.to_str().unwrap(), "--upstream", "openai"])
}

/// Starts a model that repeats a text until the client has had enough, or until it has sent a number of
/// bytes.
pub(super) async fn endless(head: &'static str, text: &'static str, length: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let piece = text.repeat(1 + 65_536 / text.len());
        while let Ok((mut connection, _)) = listener.accept().await {
            let _ = connection.read(&mut [0; 4096]).await;
            let _ = connection.write_all(head.as_bytes()).await;
            let mut sent = 0;
            while sent < length && connection.write_all(piece.as_bytes()).await.is_ok() {
                sent += piece.len();
            }
        }
    });
    endpoint
}

pub(super) const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"";
pub(super) const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
pub(super) const EVENT: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"more and more\"}}]}\n\n";
const STREAM: &str =
    r#"{"model":"gpt","stream":true,"messages":[{"role":"user","content":"hello"}]}"#;

#[tokio::test]
async fn large_and_endless_answers_are_errors() {
    let cases = [
        (JSON, "a large answer ", 100 << 20),
        (JSON, "an endless answer ", usize::MAX),
        ("HTTP/1.1 200 OK\r\n", "x-endless: header\r\n", usize::MAX),
        ("HTTP/1.1 500 Internal\r\n\r\n", "an endless error ", usize::MAX),
    ];
    for (head, text, length) in cases {
        let sidecar = mynah(&endless(head, text, length).await);
        for _ in 0..2 {
            let status = sidecar.converse(hello()).await.unwrap_err();
            let message = status.message();
            let expected = ["longer than 16 MiB", "network error", "unexpected status code: 500"];
            assert!(expected.iter().any(|it| message.contains(it)), "{text}: {message}");
        }
        assert!(peak(&sidecar) < MAX_MEMORY, "{text}: {} KiB", peak(&sidecar));
    }
}

#[tokio::test]
async fn endless_streams_are_errors() {
    for text in [EVENT, ": a comment that never ends ", "data: an event that never ends "] {
        let sidecar = mynah(&endless(EVENTS, text, usize::MAX).await);
        let body = sidecar.post_for_events("/v1/chat/completions", STREAM).await.body;
        assert!(body.contains("longer than 16 MiB"), "{text}: {}", &body[..body.len().min(99)]);
        assert!(peak(&sidecar) < MAX_MEMORY, "{text}: {} KiB", peak(&sidecar));
    }
}

#[tokio::test]
async fn an_unknown_certificate_is_an_error() {
    let mut model = TlsModel::start(&["h2"]).await;
    let sidecar = mynah(&format!("https://localhost:{}/v1", model.port));
    for _ in 0..2 {
        let status = sidecar.converse(hello()).await.unwrap_err();
        let expected =
            "failed conversing with component gpt: network error: failed to reach API server";
        assert_eq!(status.message(), expected);
    }
    assert!(sidecar.log().contains("invalid peer certificate: UnknownIssuer"), "{}", sidecar.log());
    assert!(model.requests.try_recv().is_err());
}

#[tokio::test]
async fn a_full_disk_is_an_error_and_calls_go_on() {
    let (model, recordings) = (model("rules: [{respond: Hi.}]"), scratch("recordings"));
    let sidecar = recorder(&component_of(&model), &recordings);
    let call = |text: &str| named(request([user(text)]));
    sidecar.converse(call("before")).await.unwrap();
    let file = recordings.join("gpt.yaml");
    wait_until(async || file.exists().then_some(()), "nothing was recorded").await;
    let before = recorded(&recordings);
    // What is written there is an error of a full disk.
    symlink("/dev/full", recordings.join("gpt.yaml.tmp")).unwrap();
    assert_eq!(sidecar.converse(call("full")).await.unwrap().content, "Hi.");
    let logged = async || sidecar.log().contains("No space left on device").then_some(());
    wait_until(logged, "the error was not logged").await;
    assert!(sidecar.log().contains("gpt.yaml: not recorded"), "{}", sidecar.log());
    assert_eq!(recorded(&recordings), before);
    assert_eq!(sidecar.converse(call("after")).await.unwrap().content, "Hi.");
    stop(sidecar).await;
    let text = fs::read_to_string(&file).unwrap();
    for name in ["before", "full", "after"] {
        assert!(text.contains(&format!("- name: {name}")), "{text}");
    }
}
