//! What a recorder passes on and does not record.

use std::{fs, path::Path};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::{
    component, component_of,
    hostile::{EVENT, EVENTS, JSON, endless},
    model, recorded, recorder, recorder_with, replay_with,
    server::{HI, Model, hello, named, read_request, response},
    stop,
    tls_server::TlsModel,
};
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
    process::with_timeout,
    scratch, stream,
};

const STREAM: &str =
    r#"{"model":"gpt","stream":true,"messages":[{"role":"user","content":"hello"}]}"#;

/// Records the calls of a model, all of which fail. Returns the errors.
async fn record_errors(endpoint: &str) -> [String; 3] {
    let recordings = scratch("recordings");
    let sidecar = recorder(&component(endpoint), &recordings);
    let errors = [
        sidecar.converse(hello()).await.unwrap_err().message().to_owned(),
        stream(&sidecar, hello()).await.unwrap_err().message().to_owned(),
        sidecar.post_for_events("/v1/chat/completions", STREAM).await.body,
    ];
    stop(sidecar).await;
    assert_nothing_is_recorded(&recordings);
    errors
}

fn assert_nothing_is_recorded(recordings: &Path) {
    assert!(!recordings.join("gpt.yaml").exists(), "{}", recorded(recordings));
}

/// The start of a stream.
const START: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"He\"}}]}\n\n";

#[tokio::test]
async fn what_is_not_whole_is_not_recorded() {
    let error = r#"{"error":{"message":"no luck"}}"#;
    let json = "application/json";
    let events = |text: &str, expected| {
        let body = format!("{START}{text}");
        ("200 OK", "text/event-stream", body, ["invalid character 'd'", expected])
    };
    let refused = |status, body: &str| (status, json, body.to_owned(), ["status code: "; 2]);
    let invalid = |kind, body: &str, expected| ("200 OK", kind, body.to_owned(), [expected; 2]);
    let cases = [
        refused("429 Too Many", error),
        refused("500 Internal", error),
        refused("503 Unavailable", "<html>later</html>"),
        refused("401 Unauthorized", error),
        refused("404 Not Found", error),
        refused("307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/", ""),
        invalid(json, r#"{"choices":[{"mess"#, "unexpected EOF"),
        invalid(json, "hello", "invalid character 'h'"),
        invalid("text/html", "<html>hello</html>", "invalid character '<'"),
        events(&format!("data: {error}\n\n"), "no luck"),
        events("data: {\"choices\":\n\n", "unexpected EOF"),
        events("", "unexpected EOF"),
    ];
    for (status, kind, body, [whole, streamed]) in cases {
        let model = Model::start(response(status, kind, &body)).await;
        let errors = record_errors(&model.endpoint).await;
        for (error, expected) in errors.iter().zip([whole, streamed, streamed]) {
            assert!(error.contains(expected), "{status} {body}: {error}");
        }
    }
}

/// A mynah that has called a model in vain does not blame the application.
#[tokio::test]
async fn calls_that_have_failed_are_why_nothing_is_recorded() {
    let refused = r#"{"error":{"message":"no such key planted-key-123456"}}"#;
    let unauthorized = Model::json("401 Unauthorized", refused).await;
    for (endpoint, expected) in
        [(&*unauthorized.endpoint, "401"), ("http://127.0.0.1:9/v1", "network error")]
    {
        let components = component(endpoint);
        let missing = ["--record-missing", "--upstream", "openai"];
        for (sidecar, calls) in [
            (recorder(&components, &scratch("recordings")), "1 call"),
            (replay_with(&components, &scratch("recordings"), &missing), "2 calls"),
        ] {
            for _ in 0..calls[..1].parse().unwrap() {
                sidecar.converse(hello()).await.unwrap_err();
            }
            let log = stop(sidecar).await;
            let reason = format!("nothing was recorded: {calls} failed, the last with: ");
            let (_, last) = log.split_once(&reason).unwrap_or_else(|| panic!("{log}"));
            assert!(last.contains(expected), "{log}");
            assert!(!log.contains("OPENAI_BASE_URL") && !log.contains("planted"), "{log}");
        }
    }
}

#[tokio::test]
async fn endless_answers_are_not_recorded() {
    for (head, text) in [(JSON, "an endless answer "), (EVENTS, EVENT)] {
        let endpoint = endless(head, text, usize::MAX).await;
        record_errors(&endpoint).await;
    }
}

#[tokio::test]
async fn an_unknown_server_is_not_recorded() {
    let model = TlsModel::start(&["h2"]).await;
    let errors = record_errors(&format!("https://localhost:{}/v1", model.port)).await;
    assert!(errors.iter().all(|error| error.contains("network error")), "{errors:?}");
}

/// Rules and chains answer before the model, which gets no request.
#[tokio::test]
async fn rules_and_chains_are_not_recorded() {
    let (mut model, recordings) = (Model::json("200 OK", HI).await, scratch("recordings"));
    let rules = scratch("rules").join("rules.yaml");
    fs::write(&rules, "rules: [{match: {user: rule}, respond: Of a rule.}]").unwrap();
    let flags = ["--rules", rules.to_str().unwrap()];
    let sidecar = recorder_with(&component(&model.endpoint), &recordings, &flags);
    let chain =
        "<|instruction_start|>{\"messages\": [{\"text\": \"Of a chain.\"}]}<|instruction_end|>";
    for (prompt, expected) in [("a rule", "Of a rule."), (chain, "Of a chain.")] {
        let answer = sidecar.converse(named(request([user(prompt)]))).await.unwrap();
        assert_eq!(answer.content, expected);
    }
    assert!(model.requests.try_recv().is_err());
    stop(sidecar).await;
    assert_nothing_is_recorded(&recordings);
}

/// The headers of clients may have keys of the application.
#[tokio::test]
async fn headers_of_clients_are_nowhere() {
    let (model, recordings) = (model("rules: [{respond: Hi.}]"), scratch("recordings"));
    let sidecar = recorder_with(&component_of(&model), &recordings, &["--log-level", "debug"]);
    let secret = "planted-header-1234";
    let headers = ["authorization", "cookie", "x-own", "dapr-app-id"];
    let mut call = tonic::Request::new(hello());
    let mut post = direct_client().post(sidecar.url("/v1/chat/completions"));
    for name in headers {
        call.metadata_mut().insert(name, secret.parse().unwrap());
        post = post.header(name, secret);
    }
    sidecar.client().await.converse_alpha2(call).await.unwrap();
    assert_eq!(sidecar.send(post.body(STREAM)).await.status, 200);
    let journal = sidecar.get("/mynah/v1/journal").await.body;
    assert!(journal.contains("hello"), "{journal}");
    let log = stop(sidecar).await;
    let upstream = model.get("/mynah/v1/journal").await.body;
    for shown in [&journal, &log, &recorded(&recordings), &upstream] {
        assert!(!shown.contains("planted-header") && !shown.contains("x-own"), "{shown}");
    }
}

/// Starts a mynah whose model never answers, and abandons a call. The model sees the connection close.
async fn abandon(ask: impl AsyncFnOnce(&Sidecar)) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/v1", listener.local_addr().unwrap());
    let recordings = scratch("recordings");
    let sidecar = recorder(&component(&endpoint), &recordings);
    let mut connection = tokio::select! {
        () = ask(&sidecar) => panic!("the model has answered"),
        accepted = listener.accept() => accepted.unwrap().0,
    };
    drop(read_request(&mut connection).await);
    let mut rest = [0];
    let end = connection.read(&mut rest);
    // A reset is an end, too.
    let end = with_timeout(end).await.unwrap_or_default();
    assert_eq!(end, 0);
    let log = stop(sidecar).await;
    assert!(log.contains("nothing was recorded: 1 call ended before the answer"), "{log}");
    assert_nothing_is_recorded(&recordings);
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_call_of_the_model() {
    abandon(async |sidecar| drop(sidecar.converse(hello()).await)).await;
    abandon(async |sidecar| drop(stream(sidecar, hello()).await)).await;
    let path = "/v1/chat/completions";
    let whole = STREAM.replace("true", "false");
    abandon(async |sidecar| drop(sidecar.post(path, whole).await)).await;
    abandon(async |sidecar| drop(sidecar.post_for_events(path, STREAM).await)).await;
}

/// Starts a model that sends the start of a stream and then waits until mynah closes it.
async fn halting() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            drop(read_request(&mut connection).await);
            connection.write_all(format!("{EVENTS}{START}").as_bytes()).await.unwrap();
            // A reset is an end, too.
            let _ = connection.read(&mut [0]).await;
        }
    });
    endpoint
}

#[tokio::test]
async fn a_stream_that_is_closed_early_is_reported_once() {
    let (components, recordings) = (component(&halting().await), scratch("recordings"));
    let sidecar = recorder(&components, &recordings);
    for _ in 0..2 {
        let mut client = sidecar.client().await;
        let mut stream = client.converse_stream_alpha2(hello()).await.unwrap().into_inner();
        assert!(stream.message().await.unwrap().is_some());
    }
    let log = stop(sidecar).await;
    assert_eq!(log.matches("an answer is not recorded").count(), 1, "{log}");
    assert!(log.contains("nothing was recorded: 2 calls ended before the answer"), "{log}");
    assert_nothing_is_recorded(&recordings);
}
