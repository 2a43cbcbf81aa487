//! The services with OpenAI's API: their addresses, models and keys.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    proxies::Proxy,
    server::{HI, Model, hello},
    tls_server::TlsModel,
};
use crate::support::{Sidecar, mynah, process::Process, scratch};

/// Types with the default host, the default model and the variable with the model.
const SERVICES: [(&str, &str, &str, &str); 6] = [
    ("openai", "api.openai.com", "gpt-5-nano", "OPENAI_MODEL"),
    ("deepseek", "api.deepseek.com", "deepseek-chat", "DEEPSEEK_MODEL"),
    (
        "huggingface",
        "router.huggingface.co",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
        "HUGGINGFACE_MODEL",
    ),
    ("mistral", "api.mistral.ai", "open-mistral-7b", "MISTRAL_MODEL"),
    ("googleai", "generativelanguage.googleapis.com", "gemini-2.5-flash-lite", "GOOGLEAI_MODEL"),
    ("ollama", "localhost", "llama3.2:latest", "OLLAMA_MODEL"),
];

/// Writes a component of a type with these items.
fn component(kind: &str, items: &[(&str, &str)]) -> PathBuf {
    let folder = scratch("service");
    let items: Vec<_> =
        items.iter().map(|(name, value)| format!("{{name: {name}, value: {value:?}}}")).collect();
    let yaml = format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: gpt}}\nspec: {{type: conversation.{kind}, \
         version: v1, metadata: [{}]}}\n",
        items.join(", ")
    );
    fs::write(folder.join("gpt.yaml"), yaml).unwrap();
    folder
}

fn start(components: &Path, environment: &[(&str, &str)]) -> Sidecar {
    let flags = ["--resources-path", components.to_str().unwrap(), "--upstream", "openai"];
    Sidecar::start_in(environment, &flags)
}

#[tokio::test]
async fn each_service_has_its_model() {
    let key = ("key", "planted-key");
    for (kind, _, default, variable) in SERVICES {
        let mut model = Model::json("200 OK", HI).await;
        let endpoint = ("endpoint", &*model.endpoint);
        let named = ("model", "named");
        let cases: [(&[_], &[_], _); 3] = [
            (&[key, endpoint], &[], default),
            (&[key, endpoint, named], &[], "named"),
            (&[key, endpoint, named], &[(variable, "of-variable")], "of-variable"),
        ];
        for (items, environment, expected) in cases {
            let sidecar = start(&component(kind, items), environment);
            sidecar.converse(hello()).await.unwrap();
            let request = model.requests.recv().await.unwrap();
            assert!(request.starts_with("POST /v1/chat/completions "), "{request}");
            assert!(request.contains("authorization: Bearer planted-key\r\n"), "{request}");
            assert!(request.contains(&format!("\"model\":\"{expected}\"")), "{kind}: {request}");
        }
    }
}

#[tokio::test]
async fn each_service_has_its_address() {
    let model = TlsModel::start(&["http/1.1"]).await;
    for (kind, host, ..) in SERVICES.into_iter().filter(|(kind, ..)| *kind != "ollama") {
        let mut proxy = Proxy::start(model.port).await;
        let components = component(kind, &[("key", "planted-key")]);
        let sidecar = start(&components, &[("HTTPS_PROXY", &proxy.url)]);
        // The server is another one, so its certificate is invalid.
        let status = sidecar.converse(hello()).await.unwrap_err();
        assert!(status.message().contains("network error"), "{}", status.message());
        let head = proxy.heads.recv().await.unwrap().to_lowercase();
        assert!(head.starts_with(&format!("connect {host}:443 ")), "{kind}: {head}");
    }
}

#[tokio::test]
async fn only_ollama_needs_no_key() {
    let mut model = Model::json("200 OK", HI).await;
    for (kind, ..) in SERVICES {
        let components = component(kind, &[("endpoint", &model.endpoint)]);
        if kind == "ollama" {
            start(&components, &[]).converse(hello()).await.unwrap();
            let request = model.requests.recv().await.unwrap();
            assert!(request.contains("authorization: Bearer ollama\r\n"), "{request}");
            continue;
        }
        let mut command = mynah();
        command.args(["check", components.to_str().unwrap(), "--upstream", "openai"]);
        let output = Process::start(&mut command).wait();
        let shown = format!("{}{}", output.stdout, output.stderr);
        assert!(output.code == Some(1) && shown.contains("key: missing"), "{kind}: {shown}");
    }
}

#[tokio::test]
async fn deployments_of_azure_have_paths_and_a_header_for_the_key() {
    let mut model = Model::json("200 OK", HI).await;
    let endpoint = model.endpoint.trim_end_matches("/v1/").to_owned();
    let items = [
        ("apiType", "azure"),
        ("apiVersion", "2025-01-01"),
        ("endpoint", &*endpoint),
        ("key", "planted-key"),
    ];
    let cases: [(&[_], _); 2] = [(&[], "gpt-4.1-nano"), (&[("AZURE_OPENAI_MODEL", "own")], "own")];
    for (environment, deployment) in cases {
        let sidecar = start(&component("openai", &items), environment);
        sidecar.converse(hello()).await.unwrap();
        let request = model.requests.recv().await.unwrap();
        let path = format!(
            "POST /openai/deployments/{deployment}/chat/completions?api-version=2025-01-01 HTTP/1.1"
        );
        assert!(request.starts_with(&path), "{request}");
        assert!(request.contains("api-key: planted-key\r\n"), "{request}");
        assert!(!request.contains("authorization:"), "{request}");
    }
}
