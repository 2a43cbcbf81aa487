//! Keys and other secrets are in no recording, log, journal or error.

use std::{fs, path::PathBuf};

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use serde_json::json;
use tonic::{Code, Status};

use super::{
    KEY, component, component_of, model, recorded, recorder_with, replay,
    server::{HI, Model, hello, mynah, named, response},
    stop,
};
use crate::support::{
    Sidecar,
    messages::{request, user},
    scratch, stream,
};

const OPENAI: &str = r#"{"model":"gpt","messages":[{"role":"user","content":"hello"}]}"#;
const OPENAI_STREAM: &str =
    r#"{"model":"gpt","stream":true,"messages":[{"role":"user","content":"hello"}]}"#;
const RESPONSE: &str = r#"{"model":"gpt","input":"hello"}"#;
const RESPONSE_STREAM: &str = r#"{"model":"gpt","stream":true,"input":"hello"}"#;
const ALPHA1: &str = r#"{"inputs":[{"content":"hello"}]}"#;
const ALPHA2: &str = r#"{"inputs":[{"messages":[{"ofUser":{"content":[{"text":"hello"}]}}]}]}"#;

/// The paths and the bodies of requests.
const BODIES: [(&str, &str); 6] = [
    ("/v1.0-alpha1/conversation/gpt/converse", ALPHA1),
    ("/v1.0-alpha2/conversation/gpt/converse", ALPHA2),
    ("/v1/chat/completions", OPENAI),
    ("/v1/chat/completions", OPENAI_STREAM),
    ("/v1/responses", RESPONSE),
    ("/v1/responses", RESPONSE_STREAM),
];

#[tokio::test]
async fn secrets_are_not_recorded() {
    let text = "My password is in {\"password\": \"planted-1\"}, my key is sk-planted-9876543210";
    let rules = format!("rules: [{{respond: \"Use {KEY} or sk-planted-1234567890.\"}}]");
    let (model, recordings) = (model(&rules), scratch("recordings"));
    let components = component_of(&model);
    let sidecar = recorder_with(&components, &recordings, &["--log-level", "debug"]);
    let call = named(request([user(text)]));
    sidecar.converse(call.clone()).await.unwrap();
    let journal = sidecar.get("/mynah/v1/journal").await.body;
    let log = stop(sidecar).await;
    let recording = recorded(&recordings);
    for shown in [&journal, &log, &recording] {
        assert!(!shown.contains("planted"), "{shown}");
    }
    assert!(log.contains("secrets are left out of a recorded exchange"), "{log}");
    // What is asked has its secrets removed, too.
    let answer = replay(&components, &recordings).converse(call).await.unwrap();
    assert_eq!(answer.content, "Use [redacted] or [redacted].");
}

fn shown(status: &Status) -> String {
    let details = String::from_utf8_lossy(status.details());
    format!("{:?}: {} {details} {:?}", status.code(), status.message(), status.metadata())
}

/// Asks over all APIs, and returns the errors.
async fn errors(sidecar: &Sidecar) -> Vec<String> {
    let mut errors = vec![
        shown(&sidecar.converse(hello()).await.unwrap_err()),
        shown(&stream(sidecar, hello()).await.unwrap_err()),
    ];
    for (path, body) in BODIES {
        errors.push(sidecar.post(path, body).await.body);
        errors.push(sidecar.post_for_events(path, body).await.body);
    }
    errors
}

#[tokio::test]
async fn keys_are_in_no_error() {
    let message = format!("Incorrect key {KEY}, or sk-planted-1234567890");
    let error = json!({ "error": { "message": message } }).to_string();
    let text = json!({ "choices": [{ "delta": { "content": "a" } }] });
    let events = format!("data: {text}\n\ndata: {error}\n\n");
    let other = json!({ "choices": message }).to_string();
    let cases = [
        ("401 Unauthorized", "application/json", error, 14),
        // Whole answers have no events.
        ("200 OK", "text/event-stream", events, 7),
        // The error of the decoder quotes the answer.
        ("200 OK", "application/json", other, 14),
    ];
    for (status, kind, body, redacted) in cases {
        let model = Model::start(response(status, kind, &body)).await;
        let sidecar = mynah(&model);
        let errors = errors(&sidecar).await;
        let journal = sidecar.get("/mynah/v1/journal").await.body;
        for shown in errors.iter().chain([&journal, &sidecar.log()]) {
            assert!(!shown.contains("planted"), "{body}: {shown}");
        }
        let seen = errors.iter().filter(|error| error.contains("[redacted]")).count();
        assert_eq!(seen, redacted, "{body}: {errors:#?}");
    }
}

/// A component named `gpt` with an item for its key.
fn with_key(endpoint: &str, key: &str) -> PathBuf {
    let folder = component(endpoint);
    let file = folder.join("gpt.yaml");
    let yaml = fs::read_to_string(&file).unwrap();
    let literal = format!("{{name: key, value: {KEY}}}");
    assert!(yaml.contains(&literal));
    let secrets = folder.join("secrets.json");
    fs::write(&secrets, json!({ "models": { "gpt": KEY } }).to_string()).unwrap();
    let store = format!(
        "---\napiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: store}}\nspec:\n  type: \
         secretstores.local.file\n  version: v1\n  metadata: [{{name: secretsFile, value: {secrets:?}}}]\n"
    );
    let auth = "auth: {secretStore: store}\n";
    fs::write(&file, yaml.replace(&literal, key) + auth + &store).unwrap();
    folder
}

#[tokio::test]
async fn keys_of_daprd_are_in_no_error() {
    let folder = scratch("daprd");
    let rules =
        format!("rules: [{{respond: {{error: {{code: UNAUTHENTICATED, message: no {KEY}}}}}}}]");
    fs::write(folder.join("rules.yaml"), rules).unwrap();
    let yaml = "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: gpt}\nspec:\n  type: \
                conversation.scripted\n  version: v1\n  metadata: [{name: rules, value: rules.yaml}]\n";
    fs::write(folder.join("gpt.yaml"), yaml).unwrap();
    let daprd = Sidecar::start_with(&["--resources-path", folder.to_str().unwrap()]);
    assert!(shown(&daprd.converse(hello()).await.unwrap_err()).contains(KEY));
    let (components, address) = (component("http://127.0.0.1:9/v1"), daprd.grpc.to_string());
    let components = components.to_str().unwrap();
    let upstream = ["--upstream", "daprd", "--daprd", &address];
    let sidecar = Sidecar::start_with(&[&["--resources-path", components], &upstream[..]].concat());
    for error in errors(&sidecar).await {
        assert!(error.contains("[redacted]") && !error.contains("planted"), "{error}");
    }
}

const KEYS: [(&str, &[(&str, &str)]); 3] = [
    ("{name: key, value: planted-key-123456}", &[]),
    ("{name: key, envRef: MODEL_KEY}", &[("MODEL_KEY", KEY)]),
    ("{name: key, secretKeyRef: {name: \"models:gpt\"}}", &[]),
];

/// A key is removed from what is recorded and from what is asked, wherever it comes from.
#[tokio::test]
async fn keys_are_removed_from_what_is_asked() {
    let call = |text: &str| named(request([user(&format!("{text} with {KEY}."))]));
    for (key, environment) in KEYS {
        let (mut model, recordings) = (Model::json("200 OK", HI).await, scratch("recordings"));
        let components = with_key(&model.endpoint, key);
        let folders = [&components, &recordings].map(|it| it.to_str().unwrap());
        let start = |flags: &[&str]| {
            Sidecar::start_in(environment, &[&["--resources-path", folders[0]], flags].concat())
        };
        let sidecar = start(&["--upstream", "openai", "--record", folders[1]]);
        sidecar.converse(call("Log in")).await.unwrap();
        let sent = model.requests.recv().await.unwrap();
        assert!(sent.contains(&format!("authorization: Bearer {KEY}")), "{sent}");
        stop(sidecar).await;
        let text = recorded(&recordings);
        assert!(text.contains("Log in with [redacted].") && !text.contains("planted"), "{text}");
        let sidecar = start(&["--replay", folders[1]]);
        assert_eq!(sidecar.converse(call("Log in")).await.unwrap().content, "hi");
        let missed = sidecar.converse(call("Log out")).await.unwrap_err();
        assert_eq!(missed.code(), Code::FailedPrecondition);
        assert!(missed.message().contains("with [redacted]."), "{}", missed.message());
    }
}

/// Without the variable, nobody knows that a text is a key.
#[tokio::test]
async fn a_key_that_is_not_there_is_not_removed() {
    let recordings = scratch("recordings");
    let text = "rules: [{match: {request: {component: gpt, messages: [{role: user, text: \"Use [redacted].\"}]}}, respond: hi}]";
    fs::write(recordings.join("gpt.yaml"), text).unwrap();
    let components = with_key("http://127.0.0.1:9/v1", KEYS[1].0);
    let sidecar = replay(&components, &recordings);
    let call = |text: &str| -> ConversationRequestAlpha2 { named(request([user(text)])) };
    assert_eq!(sidecar.converse(call("Use [redacted].")).await.unwrap().content, "hi");
    let missed = sidecar.converse(call(&format!("Use {KEY}."))).await.unwrap_err();
    assert_eq!(missed.code(), Code::FailedPrecondition);
}
