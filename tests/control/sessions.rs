//! Sessions keep parallel tests apart.

use futures_util::future::join_all;
use mynah::internals::wire::json;
use serde_json::{Value, json};
use tonic::{Code, Request};

use super::{entries, send};
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

/// Returns the texts that the model answered in a session.
async fn texts(sidecar: &Sidecar, session: &str) -> Vec<Value> {
    let entries = entries(sidecar, &format!("session={session}")).await;
    entries.iter().map(|entry| entry["response"]["text"].clone()).collect()
}

#[tokio::test]
async fn are_named_by_headers_or_metadata() {
    let sidecar = Sidecar::start();
    let mut grpc = Request::new(request([user("grpc")]));
    grpc.metadata_mut().insert("mynah-session", "a".parse().unwrap());
    sidecar.client().await.converse_alpha2(grpc).await.unwrap();
    let body = json::write(&request([user("http")])).unwrap();
    let http = direct_client().post(sidecar.url(ALPHA2)).header("mynah-session", "a").body(body);
    sidecar.send(http).await;
    let openai = json!({"model": "echo", "messages": [{"role": "user", "content": "openai"}],
        "metadata": {"mynah-session": "a"}});
    sidecar.post("/v1/chat/completions", openai.to_string()).await;
    let mut by_metadata = request([user("metadata")]);
    by_metadata.metadata.insert("mynah-session".to_owned(), "a".to_owned());
    sidecar.converse(by_metadata.clone()).await.unwrap();
    let mut by_both = Request::new(by_metadata);
    by_both.metadata_mut().insert("mynah-session", "b".parse().unwrap());
    sidecar.client().await.converse_alpha2(by_both).await.unwrap();
    sidecar.converse(request([user("default")])).await.unwrap();
    assert_eq!(texts(&sidecar, "a").await, ["grpc", "http", "openai", "metadata"]);
    assert_eq!(texts(&sidecar, "b").await, ["metadata"], "the header takes precedence");
    assert_eq!(texts(&sidecar, "default").await, ["default"]);
}

#[tokio::test]
async fn do_not_see_each_other() {
    let sidecar = Sidecar::start();
    let client = sidecar.client().await;
    let calls = (0..500).map(async |number| {
        for turn in ["one", "two"] {
            let mut call = Request::new(request([user(&format!("{turn} {number}"))]));
            let session = format!("test-{number}");
            call.metadata_mut().insert("mynah-session", session.parse().unwrap());
            client.clone().converse_alpha2(call).await.unwrap();
        }
    });
    join_all(calls).await;
    for number in 0..500 {
        let expected = [format!("one {number}"), format!("two {number}")];
        assert_eq!(texts(&sidecar, &format!("test-{number}")).await, expected);
    }
}

#[tokio::test]
async fn can_be_reset() {
    let sidecar = Sidecar::start();
    for session in ["a", "b"] {
        let mut call = request([user("hi")]);
        call.metadata.insert("mynah-session".to_owned(), session.to_owned());
        sidecar.converse(call).await.unwrap();
    }
    assert_eq!(send(&sidecar, "POST", "/mynah/v1/reset?session=a").await.0, 204);
    assert_eq!(texts(&sidecar, "a").await, [Value::Null; 0]);
    assert_eq!(texts(&sidecar, "b").await, ["hi"]);
    assert_eq!(send(&sidecar, "POST", "/mynah/v1/reset").await.0, 204);
    assert_eq!(texts(&sidecar, "b").await, [Value::Null; 0]);
}

/// An unset variable in a test must not reset other tests.
#[tokio::test]
async fn have_names_that_are_not_empty() {
    let sidecar = Sidecar::start();
    sidecar.converse(request([user("hi")])).await.unwrap();
    let expected = json!({"error": "session must not be empty; leave it out for all sessions"});
    for (method, path) in [("POST", "reset"), ("DELETE", "journal"), ("DELETE", "faults")] {
        let (status, body) = send(&sidecar, method, &format!("/mynah/v1/{path}?session=")).await;
        assert_eq!((status, body), (400, expected.to_string()), "{path}");
    }
    let bodies = [
        ("POST", "verify", json!({"session": "", "no_unmatched": true})),
        ("POST", "explain", json!({"session": "", "request": {}})),
        ("PUT", "faults", json!({"session": "", "hang": true})),
    ];
    for (method, path, body) in bodies {
        let url = sidecar.url(&format!("/mynah/v1/{path}"));
        let call = direct_client().request(method.parse().unwrap(), url).body(body.to_string());
        let reply = sidecar.send(call).await;
        assert_eq!((reply.status, reply.json()), (400, expected.clone()), "{path}");
    }
    assert_eq!(texts(&sidecar, "default").await, ["hi"]);
}

#[tokio::test]
async fn have_names_of_limited_length() {
    let sidecar = Sidecar::start();
    let mut call = request([user("hi")]);
    call.metadata.insert("mynah-session".to_owned(), "s".repeat(257));
    let status = sidecar.converse(call).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "the session name has 257 bytes; expected at most 256");
}

/// Such a name must not put the calls of a test into the session of all others.
#[tokio::test]
async fn have_names_that_can_be_read() {
    let sidecar = Sidecar::start();
    let body = json::write(&request([user("hi")])).unwrap();
    let latin1: &[u8] = b"t\xe9st";
    for (header, value) in
        [("mynah-session", latin1), ("mynah-session", b""), ("x-aimock-context", latin1)]
    {
        let call = direct_client().post(sidecar.url(ALPHA2)).body(body.clone());
        let value = http::HeaderValue::from_bytes(value).unwrap();
        let reply = sidecar.send(call.header(header, value)).await;
        assert_eq!(reply.status, 400, "{header}");
        let message = "the session name is empty or, in a header, not UTF-8; leave it out for the session default";
        assert_eq!(reply.json()["message"], message, "{header}");
    }
    let mut call = request([user("hi")]);
    call.metadata.insert("mynah-session".to_owned(), String::new());
    assert_eq!(sidecar.converse(call).await.unwrap_err().code(), Code::InvalidArgument);
    let mut call = request([user("hi")]);
    call.metadata.insert("mynah-session".to_owned(), "t\u{e9}st".to_owned());
    sidecar.converse(call).await.unwrap();
    let call = direct_client().post(sidecar.url(ALPHA2)).body(body);
    assert_eq!(sidecar.send(call.header("mynah-session", "t\u{e9}st")).await.status, 200);
    assert_eq!(texts(&sidecar, "t%C3%A9st").await, ["hi", "hi"]);
    assert_eq!(texts(&sidecar, "default").await, [Value::Null; 0]);
}
