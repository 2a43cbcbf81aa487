//! HTTP requests through mynah.

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Incoming;
use serde_json::json;
use tokio::sync::mpsc;

use super::{
    in_front_of,
    stub::{Stub, channel},
};
use crate::support::{http::direct_client, http1::Connection, process::with_timeout};

#[tokio::test]
async fn requests_arrive_with_their_origin() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let url = mynah.url("/v1.0/invoke//app/method/a%2Fb/?q=%20x");
    let request = direct_client().patch(url).body("a body").header("x-own", "1");
    let response = request
        .header("connection", "keep-alive, x-hop")
        .header("x-hop", "2")
        .header("x-forwarded-for", "10.0.0.7")
        .send()
        .await
        .unwrap();
    let received = response.headers().clone();
    assert_eq!(received["x-target"], "/v1.0/invoke//app/method/a%2Fb/?q=%20x");
    assert_eq!(received["x-method"], "PATCH");
    assert_eq!(received["x-own"], "1");
    assert!(!received.contains_key("x-hop"));
    assert_eq!(received["x-forwarded-for"], "10.0.0.7, 127.0.0.1");
    assert_eq!(received["x-forwarded-proto"], "http");
    assert_eq!(received["x-forwarded-host"], mynah.http.to_string());
    assert_eq!(received["host"], stub.address.to_string());
    assert_eq!(response.text().await.unwrap(), "a body");
}

#[tokio::test]
async fn chunks_are_passed_on_as_they_arrive() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let (sender, receiver) = mpsc::channel::<Bytes>(1);
    let body = futures_util::stream::unfold(receiver, async |mut receiver| {
        Some((Ok::<_, std::io::Error>(receiver.recv().await?), receiver))
    });
    let request = direct_client().post(mynah.url("/v1.0/publish/bus/topic"));
    let response = request.body(reqwest::Body::wrap_stream(body)).send();
    let mut response = with_timeout(response).await.unwrap();
    for piece in ["one", "two"] {
        sender.send(piece.into()).await.unwrap();
        assert_eq!(with_timeout(response.chunk()).await.unwrap().unwrap(), piece);
    }
    drop(sender);
    assert_eq!(with_timeout(response.chunk()).await.unwrap(), None);
}

#[tokio::test]
async fn bodies_of_any_size_are_passed_on() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let body: Bytes = (0..5 << 20).map(|at| (at % 251) as u8).collect();
    let request = direct_client().post(mynah.url("/v1.0/bindings/files")).body(body.clone());
    let response = with_timeout(request.send()).await.unwrap();
    assert!(response.bytes().await.unwrap() == body, "the body has changed");
}

#[tokio::test]
async fn conversations_are_answered_here() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let body =
        json!({ "inputs": [{ "messages": [{ "ofUser": { "content": [{ "text": "Hi" }] } }] }] });
    let reply = mynah.post("/v1.0-alpha2/conversation/echo/converse", body.to_string()).await;
    assert_eq!(reply.json()["outputs"][0]["choices"][0]["message"]["content"], "Hi");
    let models = mynah.get("/v1/models").await;
    assert_eq!(models.json()["data"][0]["id"], "echo");
    let unknown = mynah.get("/v1/embeddings").await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn without_daprd_requests_fail_and_name_it() {
    let mut stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    assert_eq!(mynah.get("/v1.0/healthz").await.status, 200);
    stub.kill().await;
    for path in ["/v1.0/state/store/key", "/v1.0/healthz", "/v1.0/metadata"] {
        let reply = mynah.get(path).await;
        assert_eq!(reply.status, 503, "{path}");
        let message = reply.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(&stub.address.to_string()), "{message}");
    }
    stub.restart().await;
    assert_eq!(mynah.get("/v1.0/state/store/key").await.status, 200);
}

#[tokio::test]
async fn the_token_is_checked_here_and_sent_on() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[("DAPR_API_TOKEN", "secret")]);
    assert_eq!(mynah.get("/v1.0/state/store/key").await.status, 401);
    let request = direct_client().get(mynah.url("/v1.0/state/store/key"));
    let response = request.header("dapr-api-token", "secret").send().await.unwrap();
    assert_eq!(response.headers()["dapr-api-token"], "secret");
    // Orchestrators check health without a token.
    assert_eq!(mynah.get("/v1.0/healthz").await.status, 200);
}

#[tokio::test]
async fn pages_of_other_sites_do_not_reach_daprd() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let request = direct_client().get(mynah.url("/v1.0/secrets/env/PATH"));
    let response = request.header("origin", "https://example.com").send().await.unwrap();
    assert_eq!(response.status(), 403);
}

#[tokio::test]
async fn a_broken_response_is_not_completed() {
    let stub = Stub::start(async |_: Request<Incoming>| {
        let (sender, body) = channel();
        tokio::spawn(async move {
            sender.send("some".into()).await.unwrap();
            sender.closed().await;
        });
        Response::new(body)
    });
    let mut stub = stub.await;
    let mynah = in_front_of(&stub, &[]);
    let response = direct_client().get(mynah.url("/v1.0/state/store/key")).send();
    let mut response = with_timeout(response).await.unwrap();
    assert_eq!(with_timeout(response.chunk()).await.unwrap().unwrap(), "some");
    stub.kill().await;
    assert!(with_timeout(response.chunk()).await.is_err());
}

#[tokio::test]
async fn paths_with_dots_are_resolved_first() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    for (sent, received) in [
        ("/v1.0/invoke/app/../../state/store?q=1", "/v1.0/state/store?q=1"),
        ("/v1.0/./state//store/", "/v1.0/state/store"),
        ("/../v1.0/state/store", "/v1.0/state/store"),
        ("/v1.0/state/..a/.b", "/v1.0/state/..a/.b"),
    ] {
        let mut connection = Connection::open(mynah.http).await.unwrap();
        let head = format!("GET {sent} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let response = connection.exchange(&head).await.unwrap();
        assert!(response.contains(&format!("x-target: {received}\r\n")), "{sent}: {response}");
    }
}

#[tokio::test]
async fn a_get_request_keeps_its_chunked_body() {
    let stub = Stub::echo().await;
    let mynah = in_front_of(&stub, &[]);
    let mut connection = Connection::open(mynah.http).await.unwrap();
    let head = "GET /v1.0/state/store HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n";
    let response = connection.exchange(head).await.unwrap();
    assert!(response.contains("one") && response.contains("two"), "{response}");
}
