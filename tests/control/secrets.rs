//! Secrets reach neither the journal, nor its file, nor the log.

use std::fs;

use mynah::internals::wire::json;
use serde_json::json;

use super::entries;
use crate::support::{
    Sidecar,
    http::direct_client,
    messages::{request, user},
    process::wait_until,
    scratch,
};

const TOKEN: &str = "planted-token-1";
const API_KEY: &str = "sk-planted0123456789";
const BEARER: &str = "planted.bearer.2";
const YAML: &str = "planted-yaml-3";
const STORED: &str = "planted/stored\"4";
const HEADER: &str = "planted-header-5";

const COMPONENTS: &str = r#"
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec:
  type: conversation.echo
  version: v1
  metadata:
  - {name: apiKey, value: planted-yaml-3}
  - {name: model, secretKeyRef: {name: model, key: model}}
auth: {secretStore: secrets}
---
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: secrets}
spec:
  type: secretstores.local.file
  version: v1
  metadata:
  - {name: secretsFile, value: SECRETS}
"#;

#[tokio::test]
async fn are_found_nowhere() {
    let folder = scratch("secrets");
    let [secrets, components, journal] =
        ["secrets.json", "components.yaml", "journal.jsonl"].map(|name| folder.join(name));
    fs::write(&secrets, json!({"model": STORED}).to_string()).unwrap();
    fs::write(&components, COMPONENTS.replace("SECRETS", secrets.to_str().unwrap())).unwrap();
    let flags = [
        "--resources-path",
        components.to_str().unwrap(),
        "--journal",
        journal.to_str().unwrap(),
        "--log-level=debug",
    ];
    let sidecar = Sidecar::start_in(&[("DAPR_API_TOKEN", TOKEN)], &flags);
    let text = format!("{TOKEN} {API_KEY} Bearer {BEARER} {YAML} {STORED} end");
    let mut message = request([user(&text)]);
    message.metadata.insert("authorization".to_owned(), HEADER.to_owned());
    message.name = "echo".to_owned();
    let mut call = tonic::Request::new(message);
    call.metadata_mut().insert("dapr-api-token", TOKEN.parse().unwrap());
    sidecar.client().await.converse_alpha2(call).await.unwrap();
    // JSON with escapes, and a component that does not exist in the URL.
    let body = json!({"model": "echo", "messages": [{"role": "user", "content": text}]});
    let body = body.to_string().replace("sk-", "sk\\u002d").replace("planted/", "planted\\/");
    for path in ["/v1/chat/completions", "/v1.0-alpha2/conversation/planted-token-1/converse"] {
        let call = direct_client().post(sidecar.url(path)).header("dapr-api-token", TOKEN);
        sidecar
            .send(call.header("authorization", "Bearer planted.bearer.2").body(body.clone()))
            .await;
    }
    let api = direct_client().get(sidecar.url("/mynah/v1/journal"));
    let api = sidecar.send(api.header("dapr-api-token", TOKEN)).await.body;
    let file = wait_until(
        async || fs::read_to_string(&journal).ok().filter(|text| text.lines().count() == 3),
        "the journal file has no 3 lines",
    );
    let file = file.await;
    for (place, text) in [("journal", api), ("file", file), ("log", sidecar.log())] {
        for secret in [TOKEN, API_KEY, BEARER, YAML, STORED, HEADER, "planted/stored", "stored"] {
            assert!(!text.contains(secret), "{secret} in the {place}: {text}");
        }
        if place != "log" {
            assert!(text.contains("[redacted] end"), "{text}");
        }
    }
}

const NAMES: [&str; 16] = [
    "accessToken",
    "apiToken",
    "refresh_token",
    "github_token",
    "clientSecret",
    "client-secret",
    "x-secret",
    "passwd",
    "accountKey",
    "privateKey",
    "access_key",
    "secretKey",
    "DB_PASSWORD",
    "Set-Cookie",
    "credential",
    "\u{e9}\"token",
];

#[tokio::test]
async fn have_keys_with_many_names() {
    let sidecar = Sidecar::start();
    for name in NAMES {
        let mut message = request([user("the key of a token")]);
        message.metadata.insert(name.to_owned(), "planted".to_owned());
        let escaped = json!({"model": "echo", "messages": [{"role": "user", "content": "hi"}],
            "metadata": {name: "planted"}, "password": {"default": "sk-planted0123456789"},
            "authorization": ["planted", ["planted"]]});
        let body = json::write(&message).unwrap();
        sidecar.converse(message).await.unwrap();
        sidecar.post("/v1.0-alpha2/conversation/echo/converse", body).await;
        sidecar.post("/v1/chat/completions", escaped.to_string()).await;
        let all = entries(&sidecar, "").await;
        for entry in &all[all.len() - 3..] {
            assert_eq!(entry["request"]["metadata"][name], "[redacted]", "{entry}");
            assert!(!entry.to_string().contains("planted"), "{entry}");
        }
    }
}

#[tokio::test]
async fn are_removed_with_malformed_requests() {
    let sidecar = Sidecar::start();
    let nested = format!("{}\"api-key\": \"planted\"{}", "{\"a\":".repeat(200), "}".repeat(200));
    for body in ["{\"api-key\": \"planted\",}", "{'api-key': 'planted'}", &nested] {
        sidecar.post("/v1/chat/completions", body.to_owned()).await;
        sidecar.post("/v1.0-alpha2/conversation/echo/converse", body.to_owned()).await;
    }
    for entry in entries(&sidecar, "").await {
        assert_eq!(
            (&entry["request"], &entry["outcome"]),
            (&"[redacted]".into(), &"failed".into())
        );
    }
}

const REFERENCES: &str = r#"
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec:
  type: conversation.echo
  version: v1
  metadata:
  - {name: apiKey, envRef: FIRST}
  - {name: key, envRef: OPENAI_KEY}
---
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: openai}
spec:
  type: conversation.openai
  version: v1
  metadata:
  - {name: key, secretKeyRef: {name: third, key: third}}
  - {name: clientSecret, envRef: FOURTH}
auth: {secretStore: secrets}
---
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: secrets}
spec:
  type: secretstores.local.file
  version: v1
  metadata:
  - {name: secretsFile, value: SECRETS}
"#;

#[tokio::test]
async fn of_components_may_be_references() {
    let folder = scratch("secrets");
    let [secrets, components] = ["secrets.json", "components.yaml"].map(|name| folder.join(name));
    fs::write(&secrets, json!({"third": "planted-3"}).to_string()).unwrap();
    fs::write(&components, REFERENCES.replace("SECRETS", secrets.to_str().unwrap())).unwrap();
    let environment =
        [("FIRST", "planted-1"), ("OPENAI_KEY", "planted-2"), ("FOURTH", "planted-4")];
    let flags = ["--stand-in=echo", "--resources-path", components.to_str().unwrap()];
    let sidecar = Sidecar::start_in(&environment, &flags);
    let mut message = request([user("planted-1 planted-2 planted-3 planted-4")]);
    message.name = "echo".to_owned();
    sidecar.converse(message).await.unwrap();
    let text = &entries(&sidecar, "").await[0]["response"]["text"];
    assert_eq!(text, &["[redacted]"; 4].join(" "));
}

/// Calls that were stored before a component was loaded also have its secrets.
#[tokio::test]
async fn are_hidden_when_they_are_learned_later() {
    let components = scratch("secrets").join("components.yaml");
    let component = |name: &str| {
        format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
             spec: {{type: conversation.echo, metadata: [{{name: apiKey, value: planted-{name}}}]}}\n"
        )
    };
    fs::write(&components, component("echo")).unwrap();
    let sidecar = Sidecar::start_with(&["--resources-path", components.to_str().unwrap()]);
    sidecar.converse(request([user("planted-echo planted-later")])).await.unwrap();
    let shown = async || entries(&sidecar, "").await[0].to_string();
    assert!(shown().await.contains("[redacted] planted-later"));
    fs::write(&components, component("echo") + "---\n" + &component("later")).unwrap();
    let is_hidden = async || (!shown().await.contains("planted")).then_some(());
    wait_until(is_hidden, "a secret of a reloaded component is shown").await;
    let check = json!({"match": {"user": "planted"}}).to_string();
    let report = sidecar.post("/mynah/v1/verify", check).await;
    assert_eq!(report.status, 409);
    assert!(!report.body.contains("planted-"), "{}", report.body);
}

#[tokio::test]
async fn do_not_hide_other_texts() {
    let sidecar = Sidecar::start();
    let text = "the bearer of a risk-assessment has max_tokens and a password";
    sidecar.converse(request([user(text)])).await.unwrap();
    assert_eq!(entries(&sidecar, "").await[0]["response"]["text"], text);
}
