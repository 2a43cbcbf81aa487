//! Sessions keep apart what a component keeps of its tools.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use http::{Response, StatusCode};
use hyper::body::Incoming;
use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::json;

use super::{Caller, Owner};
use crate::{
    forward::stub::{Stub, full},
    support::{
        Sidecar,
        http::direct_client,
        messages::{Answer, request, user},
    },
};

const RULES: &str = r#"
rules:
- match: {has_tool_result: true}
  respond: "{% for m in messages if m.role == 'tool' %}{{ m.text }};{% endfor %}"
- match: {user: both}
  respond: [{tool_call: [{name: counts}, {name: send_mail}]}]
- match: {user: cached}
  respond: [{tool_call: [{name: caches}]}]
- match: {user: fails}
  respond: [{tool_call: [{name: fails}]}]
"#;

/// A sidecar whose component owns tools of a server.
struct Server {
    sidecar: Sidecar,
    _stub: Stub,
    /// The number of requests to the server.
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Starts a server that numbers its answers, and fails for the tool `fails`.
    async fn start() -> Self {
        let requests = Arc::<AtomicUsize>::default();
        let counted = requests.clone();
        let stub = Stub::start(move |request: http::Request<Incoming>| {
            let number = counted.fetch_add(1, Ordering::Relaxed);
            let mut response = Response::new(full(format!("answer {number}")));
            if request.uri().path() == "/fails" {
                *response.status_mut() = StatusCode::BAD_REQUEST;
            }
            async { response }
        })
        .await;
        let url = |name| format!("http://{}/{name}", stub.address);
        let tools = json!({"tools": [
            {"name": "counts", "http": {"url": url("counts")}},
            {"name": "caches", "cache": {"ttl": "5m"}, "http": {"url": url("caches")}},
            {"name": "fails", "http": {"url": url("fails")}},
        ]});
        let metadata = format!("  - {{name: rules, value: {}}}\n", json!(RULES));
        let owner = Owner::new("scripted", &metadata, &tools.to_string());
        Self { sidecar: owner.start(), _stub: stub, requests }
    }

    async fn ask(&self, session: &str, mut request: ConversationRequestAlpha2) -> Answer {
        request.metadata.insert("mynah-session".to_owned(), session.to_owned());
        self.sidecar.converse(request).await.unwrap()
    }

    async fn answer(&self, session: &str, text: &str) -> String {
        self.ask(session, request([user(text)])).await.content
    }

    async fn reset(&self, query: &str) {
        let url = self.sidecar.url(&format!("/mynah/v1/reset{query}"));
        assert_eq!(self.sidecar.send(direct_client().post(url)).await.status, 204);
    }
}

#[tokio::test]
async fn the_memory_of_unseen_results() {
    let server = Server::start().await;
    let mut callers = ["a", "b"].map(|session| (session, Caller::new(user("both"))));
    for (session, caller) in &mut callers {
        let answer = server.ask(session, caller.request()).await;
        assert_eq!(answer.called_tools(), ["send_mail"]);
        caller.run(&answer);
    }
    for ((session, caller), expected) in callers.iter().zip(["answer 0;sent;", "answer 1;sent;"]) {
        assert_eq!(server.ask(session, caller.request()).await.content, expected);
    }
    server.reset("?session=a").await;
    for ((session, caller), expected) in callers.iter().zip(["sent;", "answer 1;sent;"]) {
        assert_eq!(server.ask(session, caller.request()).await.content, expected);
    }
}

#[tokio::test]
async fn cached_results() {
    let server = Server::start().await;
    for (session, expected) in [("a", "answer 0;"), ("b", "answer 1;"), ("a", "answer 0;")] {
        assert_eq!(server.answer(session, "cached").await, expected, "{session}");
    }
    // Calls without a session belong to the session `default`.
    let unnamed = server.sidecar.converse(request([user("cached")])).await.unwrap();
    assert_eq!(unnamed.content, "answer 2;");
    assert_eq!(server.answer("default", "cached").await, "answer 2;");
    server.reset("?session=a").await;
    assert_eq!(server.answer("b", "cached").await, "answer 1;");
    assert_eq!(server.answer("a", "cached").await, "answer 3;");
    server.reset("").await;
    assert_eq!(server.answer("b", "cached").await, "answer 4;");
}

#[tokio::test]
async fn circuit_breakers() {
    let server = Server::start().await;
    for _ in 0..6 {
        server.answer("bad", "fails").await;
    }
    let log = server.sidecar.log();
    let call = r#"component="echo" session="bad" tool="fails""#;
    for message in ["tool call failed", "circuit opened"] {
        let line = log.lines().find(|line| line.contains(message));
        assert!(line.is_some_and(|line| line.contains(call)), "{log}");
    }
    let requests = || server.requests.load(Ordering::Relaxed);
    assert_eq!(requests(), 5, "the circuit is open");
    server.answer("good", "fails").await;
    assert_eq!(requests(), 6);
    server.reset("?session=bad").await;
    server.answer("bad", "fails").await;
    assert_eq!(requests(), 7);
}
