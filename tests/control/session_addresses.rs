//! Addresses that belong to one session each.

use futures_util::future::join_all;
use mynah::internals::wire::{
    json,
    proto::{GetMetadataRequest, ShutdownRequest, dapr_client::DaprClient},
};
use serde_json::{Value, json};
use tonic::{Code, Status, transport::Channel};

use super::{entries, send};
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{Answer, request, user},
    process,
};

const ALPHA2: &str = "/v1.0-alpha2/conversation/echo/converse";

/// The addresses of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Addresses {
    grpc: String,
    http: String,
}

async fn open(sidecar: &Sidecar, session: &str) -> Addresses {
    let (status, body) = send(sidecar, "PUT", &format!("/mynah/v1/sessions/{session}")).await;
    assert_eq!(status, 200, "{body}");
    let answer: Value = serde_json::from_str(&body).unwrap();
    let [grpc, http] = ["grpc", "http"].map(|api| answer[api].as_str().unwrap().to_owned());
    Addresses { grpc, http }
}

async fn close(sidecar: &Sidecar, session: &str) -> u16 {
    send(sidecar, "DELETE", &format!("/mynah/v1/sessions/{session}")).await.0
}

/// Returns the names of the sessions that have addresses.
async fn names(sidecar: &Sidecar) -> Vec<String> {
    let answer = sidecar.get("/mynah/v1/sessions").await.json();
    let sessions = answer["sessions"].as_array().unwrap();
    sessions.iter().map(|it| it["session"].as_str().unwrap().to_owned()).collect()
}

/// Returns the texts that were asked in a session.
async fn asked(sidecar: &Sidecar, session: &str) -> Vec<String> {
    let entries = entries(sidecar, &format!("session={session}")).await;
    let text = |entry: &Value| entry["response"]["text"].as_str().unwrap().to_owned();
    entries.iter().map(text).collect()
}

impl Addresses {
    async fn client(&self) -> DaprClient<Channel> {
        DaprClient::connect(format!("http://{}", self.grpc)).await.unwrap()
    }

    async fn ask(&self, text: &str) -> Result<String, Status> {
        let answer = self.client().await.converse_alpha2(request([user(text)])).await?;
        Ok(Answer::from(answer.into_inner()).content)
    }

    async fn post(&self, path: &str, body: String) -> u16 {
        let call = direct_client().post(format!("http://{}{path}", self.http)).body(body);
        call.send().await.unwrap().status().as_u16()
    }

    /// Waits until nothing listens at the addresses.
    async fn closed(&self) {
        for address in [&self.grpc, &self.http] {
            let refuses = || std::net::TcpStream::connect(address).is_err().then_some(());
            process::poll(refuses, "the address still accepts connections");
        }
    }
}

#[tokio::test]
async fn every_call_belongs_to_the_session_whatever_it_says() {
    let sidecar = Sidecar::start();
    let addresses = open(&sidecar, "a").await;
    assert_eq!(open(&sidecar, "a").await, addresses);
    assert_eq!(addresses.ask("by gRPC").await.unwrap(), "by gRPC");
    let mut other = request([user("by metadata")]);
    other.metadata.insert("mynah-session".to_owned(), "b".to_owned());
    let body = json::write(&other).unwrap();
    assert_eq!(addresses.post(ALPHA2, body.clone()).await, 200);
    let mut other = tonic::Request::new(request([user("by header")]));
    other.metadata_mut().insert("mynah-session", "b".parse().unwrap());
    addresses.client().await.converse_alpha2(other).await.unwrap();
    let messages = json!([{"role": "user", "content": "by OpenAI"}]);
    let call = json!({"model": "echo", "messages": messages, "metadata": {"mynah-session": "b"}});
    assert_eq!(addresses.post("/v1/chat/completions", call.to_string()).await, 200);
    assert_eq!(asked(&sidecar, "a").await, ["by gRPC", "by metadata", "by header", "by OpenAI"]);
    assert_eq!(entries(&sidecar, "session=b").await.len(), 0);
    assert_eq!(names(&sidecar).await, ["a"]);
    let shown = sidecar.get("/mynah/v1/sessions/a").await.json();
    assert_eq!(shown, json!({"session": "a", "grpc": addresses.grpc, "http": addresses.http}));
}

#[tokio::test]
async fn serves_health_and_metadata_but_not_the_control_api() {
    let sidecar = Sidecar::start();
    let addresses = open(&sidecar, "a").await;
    let url = |path: &str| format!("http://{}{path}", addresses.http);
    for (path, status) in [("/v1.0/healthz", 204), ("/v1.0/metadata", 200), ("/v1/models", 200)] {
        assert_eq!(direct_client().get(url(path)).send().await.unwrap().status(), status, "{path}");
    }
    let metadata = addresses.client().await.get_metadata(GetMetadataRequest {}).await.unwrap();
    assert_eq!(metadata.into_inner().registered_components.len(), 1);
    let refused = direct_client().get(url("/mynah/v1/journal")).send().await.unwrap();
    assert_eq!(refused.status(), 404);
    let body: Value = serde_json::from_str(&refused.text().await.unwrap()).unwrap();
    let message =
        "the control API is not served at the address of a session; use mynah's own address";
    assert_eq!(body, json!({ "error": message }));
}

#[tokio::test]
async fn long_names_are_shortened() {
    let sidecar = Sidecar::start();
    for end in ["1", "2"] {
        // The limit is within a letter.
        let name = format!("a{}{end}", "%C3%A9".repeat(200));
        let addresses = open(&sidecar, &name).await;
        addresses.ask("hi").await.unwrap();
        assert_eq!(open(&sidecar, &name).await, addresses);
    }
    let open = names(&sidecar).await;
    assert_eq!(open.len(), 2);
    for name in &open {
        assert!(name.len() <= 256 && name.starts_with("a\u{e9}\u{e9}"), "{name}");
        assert_eq!(asked(&sidecar, &name.replace('\u{e9}', "%C3%A9")).await, ["hi"]);
        let path = format!("/mynah/v1/sessions/{}", name.replace('\u{e9}', "%C3%A9"));
        assert_eq!(send(&sidecar, "DELETE", &path).await.0, 204);
    }
}

#[tokio::test]
async fn names_are_one_segment() {
    let sidecar = Sidecar::start();
    let addresses = open(&sidecar, "test%2Fa%5B%C3%A9-1%5D").await;
    addresses.ask("hi").await.unwrap();
    assert_eq!(names(&sidecar).await, ["test/a[\u{e9}-1]"]);
    assert_eq!(asked(&sidecar, "test%2Fa%5B%C3%A9-1%5D").await, ["hi"]);
    for (name, status, error) in [
        ("a%0Ab", 400, "session \"a\\nb\" must not have control characters"),
        ("a/b", 404, "is not served"),
    ] {
        let (found, body) = send(&sidecar, "PUT", &format!("/mynah/v1/sessions/{name}")).await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(found, status, "{name}: {body}");
        assert!(body["error"].as_str().unwrap().contains(error), "{body}");
    }
    let (status, body) = send(&sidecar, "DELETE", "/mynah/v1/sessions/b").await;
    assert_eq!((status, body.as_str()), (404, r#"{"error":"session \"b\" has no addresses"}"#));
}

#[tokio::test]
async fn closed_addresses_refuse_connections_and_open_again_elsewhere() {
    let sidecar = Sidecar::start();
    let (a, b) = (open(&sidecar, "a").await, open(&sidecar, "b").await);
    a.ask("before").await.unwrap();
    assert_eq!(close(&sidecar, "a").await, 204);
    assert_eq!(names(&sidecar).await, ["b"]);
    a.closed().await;
    assert_eq!(close(&sidecar, "a").await, 404);
    let again = open(&sidecar, "a").await;
    again.ask("after").await.unwrap();
    b.ask("other").await.unwrap();
    assert_eq!(asked(&sidecar, "a").await, ["before", "after"]);
    assert_eq!(sidecar.converse(request([user("hi")])).await.unwrap().content, "hi");
}

#[tokio::test]
async fn shutdown_at_an_address_closes_this_session_only() {
    let sidecar = Sidecar::start();
    let (a, b) = (open(&sidecar, "a").await, open(&sidecar, "b").await);
    assert_eq!(a.post("/v1.0/shutdown", String::new()).await, 204);
    a.closed().await;
    b.client().await.shutdown(ShutdownRequest {}).await.unwrap();
    b.closed().await;
    let none = async || names(&sidecar).await.is_empty();
    while !none().await {
        tokio::task::yield_now().await;
    }
    open(&sidecar, "a").await.ask("again").await.unwrap();
}

#[tokio::test]
async fn a_call_in_flight_outlives_its_address() {
    let sidecar = Sidecar::start();
    let addresses = open(&sidecar, "a").await;
    let rules = "rules: [{respond: {messages: [{text: one two three four}], chunk_delay: 100ms}}]";
    let url = sidecar.url("/mynah/v1/rules?session=a");
    let set = sidecar.send(direct_client().put(url).body(rules)).await;
    assert_eq!(set.status, 204, "{}", set.body);
    let call =
        json!({"model": "echo", "messages": [{"role": "user", "content": "hi"}], "stream": true});
    let url = format!("http://{}/v1/chat/completions", addresses.http);
    let call = direct_client().post(url).body(call.to_string());
    let mut answer = call.send().await.unwrap();
    let mut events = answer.chunk().await.unwrap().unwrap().to_vec();
    assert_eq!(close(&sidecar, "a").await, 204);
    while let Some(chunk) = answer.chunk().await.unwrap() {
        events.extend(chunk);
    }
    let events = String::from_utf8(events).unwrap();
    assert!(events.contains("four") && events.contains("[DONE]"), "{events}");
}

/// Clients that send nothing see only the rules of their session, however many there are.
#[tokio::test]
async fn five_hundred_sessions_are_apart() {
    let sidecar = Sidecar::start();
    let number = |number: usize| format!("test-{number}");
    let addresses = join_all((0..500).map(|it| {
        let sidecar = &sidecar;
        async move {
            let session = number(it);
            let addresses = open(sidecar, &session).await;
            let rules = format!("rules: [{{match: {{user: who}}, respond: I am {session}.}}]");
            let url = sidecar.url(&format!("/mynah/v1/rules?session={session}"));
            let reply = sidecar.send(direct_client().put(url).body(rules)).await;
            assert_eq!(reply.status, 204, "{}", reply.body);
            addresses
        }
    }))
    .await;
    let answers = join_all(addresses.iter().map(|it| it.ask("who are you?"))).await;
    for (it, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.unwrap(), format!("I am test-{it}."));
    }
    assert_eq!(names(&sidecar).await.len(), 500);
}

#[tokio::test]
async fn there_are_at_most_a_thousand() {
    let sidecar = Sidecar::start();
    for group in (0..1_000).collect::<Vec<_>>().chunks(100) {
        let sessions = group.iter().map(|it| format!("s{it}")).collect::<Vec<_>>();
        join_all(sessions.iter().map(|session| open(&sidecar, session))).await;
    }
    let (status, body) = send(&sidecar, "PUT", "/mynah/v1/sessions/more").await;
    assert_eq!(status, 503);
    assert!(body.contains("1000 sessions have addresses, which is the limit"), "{body}");
    open(&sidecar, "s1").await;
    assert_eq!(close(&sidecar, "s1").await, 204);
    open(&sidecar, "more").await.ask("hi").await.unwrap();
}

#[tokio::test]
async fn need_the_token_of_the_sidecar() {
    let sidecar = Sidecar::start_in(&[("DAPR_API_TOKEN", "secret")], &[]);
    let put = |token: &'static str| {
        let url = sidecar.url("/mynah/v1/sessions/a");
        sidecar.send(direct_client().put(url).header("dapr-api-token", token))
    };
    assert_eq!(put("wrong").await.status, 401);
    let answer = put("secret").await.json();
    let [grpc, http] = ["grpc", "http"].map(|api| answer[api].as_str().unwrap().to_owned());
    let status = Addresses { grpc, http }.ask("hi").await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
}
