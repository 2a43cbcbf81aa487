//! Tests of mynah behind an unmodified daprd: as the endpoint of `conversation.openai` and as an output
//! binding.

use std::{fs, path::PathBuf};

use mynah::internals::wire::proto::{ConversationRequestAlpha2, dapr_client::DaprClient};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tonic::{Code, Status};

use super::{clients, toolchain};
use crate::{
    chains::{chain, text},
    parity::target::{Program, Setup, Target},
    support::{
        Sidecar,
        http::direct_client,
        messages::{Answer, assistant_with_calls, request, tool, tool_call, tool_result, user},
        ports::ReservedPort,
        process::wait_until,
        scratch,
    },
};

/// The port at which `conversation.ollama` expects its server.
const OLLAMA: u16 = 11434;

/// Returns a folder with components for daprd, each with a type and metadata.
fn resources(components: &[(&str, &str, Value)]) -> PathBuf {
    let folder = scratch("behind-daprd");
    for (name, kind, metadata) in components {
        let component = json!({
            "apiVersion": "dapr.io/v1alpha1",
            "kind": "Component",
            "metadata": { "name": name },
            "spec": { "type": kind, "version": "v1", "metadata": metadata },
        });
        fs::write(folder.join(format!("{name}.yaml")), component.to_string()).unwrap();
    }
    folder
}

fn item(name: &str, value: &str) -> Value {
    json!({ "name": name, "value": value })
}

/// Starts mynah on a port, with a component `echo` that follows chains.
fn mynah(port: u16, environment: &[(&str, &str)], flags: &[&str]) -> Sidecar {
    let folder = scratch("mynah-behind-daprd");
    let component = json!({
        "apiVersion": "dapr.io/v1alpha1",
        "kind": "Component",
        "metadata": { "name": "echo" },
        "spec": { "type": "conversation.scripted", "version": "v1" },
    });
    fs::write(folder.join("echo.yaml"), component.to_string()).unwrap();
    let port = format!("--dapr-http-port={port}");
    let own = ["--dapr-grpc-port=0", "--metrics-port=0", &port, "--resources-path"];
    Sidecar::start_with_ports(environment, &[&own[..], &[folder.to_str().unwrap()], flags].concat())
}

/// Starts daprd and runs a test with it.
fn with_daprd<T: Future<Output = ()>>(setup: &Setup, test: impl FnOnce(Target) -> T) {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd()?);
        Runtime::new().unwrap().block_on(async {
            let daprd = program.start(setup).await.unwrap();
            test(daprd).await;
        });
        Ok(())
    });
}

async fn converse(
    daprd: &Target,
    component: &str,
    request: ConversationRequestAlpha2,
) -> Result<Answer, Status> {
    let request = ConversationRequestAlpha2 { name: component.to_owned(), ..request };
    let mut client = DaprClient::connect(format!("http://{}", daprd.grpc)).await.unwrap();
    Ok(client.converse_alpha2(request).await?.into_inner().into())
}

async fn content(daprd: &Target, component: &str, request: ConversationRequestAlpha2) -> String {
    converse(daprd, component, request).await.unwrap().content
}

/// Asserts that a component of daprd is answered by mynah in every respect.
async fn is_answered_by_mynah(daprd: &Target, component: &str) {
    assert_eq!(content(daprd, component, request([user("Hello!")])).await, "Hello!");

    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let question = user("What is the weather in Oslo?");
    let tools = vec![tool("get_weather", city)];
    let asked = ConversationRequestAlpha2 { tools, ..request([question.clone()]) };
    let answer = converse(daprd, component, asked.clone()).await.unwrap();
    assert_eq!(answer.finish_reason, "tool_calls");
    assert_eq!(answer.calls[0].arguments, json!({"city": "Oslo"}));
    let id = &answer.calls[0].id;
    let call = tool_call(id, "get_weather", r#"{"city":"Oslo"}"#);
    let result = tool_result(id, "get_weather", "3 degrees");
    let history = request([question, assistant_with_calls("", [call]), result]);
    let answered = ConversationRequestAlpha2 { inputs: history.inputs, ..asked };
    assert_eq!(content(daprd, component, answered).await, "3 degrees");

    let steps = chain(json!([text("first"), text("second")]));
    let turns = request([steps, assistant_with_calls("first", []), user("next")]);
    assert_eq!(content(daprd, component, turns).await, "second");

    let error = json!({"error": {"code": "RESOURCE_EXHAUSTED", "message": "slow down"}});
    let error = converse(daprd, component, request([chain(json!([error]))])).await.unwrap_err();
    let expected = "API returned unexpected status code: 429: slow down";
    assert_eq!(error.code(), Code::Internal);
    assert_eq!(
        error.message(),
        format!("failed conversing with component {component}: {expected}")
    );
}

#[test]
fn components_for_openai_are_answered_by_mynah() {
    let endpoint = format!("http://127.0.0.1:{OLLAMA}/v1");
    let [key, model, own_endpoint] =
        [("key", "any"), ("model", "echo"), ("endpoint", &*endpoint)].map(|(n, v)| item(n, v));
    let azure = [item("apiType", "azure"), item("apiVersion", "2024-10-21")];
    let components = [
        ("endpoint", "conversation.openai", json!([key, model, own_endpoint])),
        ("variable", "conversation.openai", json!([key])),
        ("azure", "conversation.openai", json!([key, model, own_endpoint, azure[0], azure[1]])),
        ("ollama", "conversation.ollama", json!([])),
    ];
    let setup = Setup {
        resources: vec![resources(&components)],
        environment: vec![("OPENAI_BASE_URL", endpoint.clone())],
        ..Setup::default()
    };
    with_daprd(&setup, async |daprd| {
        let _mynah = mynah(OLLAMA, &[], &[]);
        for (component, ..) in components {
            is_answered_by_mynah(&daprd, component).await;
        }
    });
}

#[test]
fn clients_work_with_an_openai_component() {
    let port = ReservedPort::new();
    let endpoint = item("endpoint", &format!("http://127.0.0.1:{}/v1", port.number));
    let metadata = json!([item("key", "any"), item("model", "echo"), endpoint]);
    let resources = vec![resources(&[("echo", "conversation.openai", metadata)])];
    with_daprd(&Setup { resources, ..Setup::default() }, async |daprd| {
        let _mynah = mynah(port.number, &[], &[]);
        clients::work_with(&daprd).await;
    });
}

#[test]
fn daprd_serves_while_mynah_is_away() {
    let port = ReservedPort::new();
    let endpoint = item("endpoint", &format!("http://127.0.0.1:{}/v1", port.number));
    let metadata = json!([item("key", "any"), item("model", "echo"), endpoint]);
    let resources = vec![resources(&[("openai", "conversation.openai", metadata)])];
    with_daprd(&Setup { resources, ..Setup::default() }, async |daprd| {
        for _ in 0..2 {
            let error = converse(&daprd, "openai", request([user("hi")])).await.unwrap_err();
            assert!(
                error.message().ends_with("network error: failed to reach API server"),
                "{error}"
            );
            let _mynah = mynah(port.number, &[], &[]);
            assert_eq!(content(&daprd, "openai", request([user("hi")])).await, "hi");
        }
    });
}

#[test]
fn an_output_binding_converses() {
    let folder = scratch("binding-sockets");
    let sockets = folder.to_str().unwrap().to_owned();
    let port = ReservedPort::new();
    let start = || {
        let environment = [("DAPR_COMPONENTS_SOCKETS_FOLDER", &*sockets)];
        mynah(port.number, &environment, &["--component-socket=mynah"])
    };
    let direction = item("direction", "output");
    let components = [
        ("plain", "bindings.mynah", json!([direction])),
        ("daprd", "bindings.mynah", json!([direction, item("mode", "daprd")])),
    ];
    let setup = Setup {
        resources: vec![resources(&components)],
        environment: vec![("DAPR_COMPONENTS_SOCKETS_FOLDER", sockets.clone())],
        ..Setup::default()
    };
    let first = start();
    with_daprd(&setup, async |daprd| {
        let message = |role: &str, text: &str| json!({role: {"content": [{"text": text}]}});
        let messages = [message("ofSystem", "be brief"), message("ofUser", "hi")];
        let data = json!({"inputs": [{"messages": messages}]});
        let invoke = async |name: &str, operation: &str| {
            let body = json!({"operation": operation, "data": data}).to_string();
            let url = format!("http://{}/v1.0/bindings/{name}", daprd.http);
            let reply = direct_client().post(url).body(body).send().await.unwrap();
            serde_json::from_str::<Value>(&reply.text().await.unwrap()).unwrap()
        };
        for (name, expected) in [("plain", "hi"), ("daprd", "be brief\nhi")] {
            let answer = invoke(name, "converse").await;
            assert_eq!(answer["outputs"][0]["choices"][0]["message"]["content"], expected);
            assert_eq!(
                invoke(name, "get").await,
                json!({"name": name, "type": "conversation.echo"})
            );
        }
        let unknown = invoke("plain", "delete").await;
        assert_eq!(unknown["errorCode"], "ERR_INVOKE_OUTPUT_BINDING");
        // daprd sends its settings only once.
        drop(first);
        assert_eq!(invoke("plain", "get").await["errorCode"], "ERR_INVOKE_OUTPUT_BINDING");
        let _second = start();
        // daprd dials again after a second.
        let dialled = async || {
            let error = invoke("plain", "get").await;
            (!error["message"].as_str().unwrap().contains("code = Unavailable")).then_some(error)
        };
        let error = wait_until(dialled, "daprd did not dial mynah again").await;
        let text = "component plain was not initialised since mynah started: restart daprd or edit its YAML";
        assert!(error["message"].as_str().unwrap().ends_with(text), "{error}");
    });
}
