//! A server that stands where a real model stands.

use std::sync::Arc;

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc::{self, UnboundedReceiver},
};

use super::component_with_model;
use crate::support::{
    Sidecar,
    messages::{request, user},
};

/// An answer of a model.
pub(super) const HI: &str = r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#;

/// A server that gives one answer, and the requests that it got.
pub(super) struct Model {
    pub(super) endpoint: String,
    pub(super) requests: UnboundedReceiver<String>,
}

impl Model {
    /// Starts a server that answers with these bytes and then closes the connection.
    pub(super) async fn start(reply: impl Into<Vec<u8>>) -> Self {
        let reply = reply.into();
        Self::answering(move |_| reply.clone()).await
    }

    /// Starts a server that answers each request with its own bytes and then closes the connection.
    pub(super) async fn answering<R: Into<Vec<u8>>>(
        reply: impl Fn(&str) -> R + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}/v1/", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::unbounded_channel();
        let reply = Arc::new(reply);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (sender, reply) = (sender.clone(), reply.clone());
                tokio::spawn(async move {
                    let mut connection = connection;
                    let request = read_request(&mut connection).await;
                    let reply = reply(&request).into();
                    let _ = sender.send(request);
                    let _ = connection.write_all(&reply).await;
                });
            }
        });
        Self { endpoint, requests }
    }

    pub(super) async fn json(status: &str, body: &str) -> Self {
        Self::start(response(status, "application/json", body)).await
    }

    /// Returns the body of the next request.
    pub(super) async fn body(&mut self) -> Value {
        let request = self.requests.recv().await.unwrap();
        serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

pub(super) fn response(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// Reads a request with a body.
pub(super) async fn read_request(connection: &mut TcpStream) -> String {
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    loop {
        let read = connection.read(&mut bytes).await.unwrap_or_default();
        text += &String::from_utf8_lossy(&bytes[..read]);
        let length =
            text.split("content-length: ").nth(1).and_then(|it| it.lines().next()?.parse().ok());
        let body = text.split_once("\r\n\r\n").map_or(0, |(_, body)| body.len());
        if read == 0 || length.is_some_and(|length: usize| body >= length) {
            return text;
        }
    }
}

/// Starts a mynah that asks a model.
pub(super) fn mynah(model: &Model) -> Sidecar {
    mynah_with(model, "real")
}

/// Starts a mynah that asks a model of this name.
pub(super) fn mynah_with(model: &Model, name: &str) -> Sidecar {
    let folder = component_with_model(&model.endpoint, name);
    Sidecar::start_with(&["--resources-path", folder.to_str().unwrap(), "--upstream", "openai"])
}

pub(super) fn hello() -> ConversationRequestAlpha2 {
    named(request([user("hello")]))
}

pub(super) fn named(request: ConversationRequestAlpha2) -> ConversationRequestAlpha2 {
    ConversationRequestAlpha2 { name: "gpt".to_owned(), ..request }
}
