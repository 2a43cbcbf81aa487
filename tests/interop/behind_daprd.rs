//! Tests of mynah behind an unmodified daprd, as the endpoint of `conversation.openai`.

use std::{fs, net::TcpListener, path::PathBuf, time::Duration};

use mynah::internals::wire::proto::{
    ConversationInputAlpha2, ConversationRequestAlpha2, dapr_client::DaprClient,
};
use mynah_needs::needs;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tonic::{Code, Request, Status};

use super::{
    clients,
    load::Load,
    manifest::{self, item},
    toolchain,
};
use crate::{
    chains::{chain, text},
    parity::target::{Program, Setup, Target},
    support::{
        Sidecar,
        http::direct_client,
        messages::{
            Answer, assistant_with_calls, input, request, tool, tool_call, tool_result, user,
        },
        ports::ReservedPort,
        process::{wait_until, with_timeout},
        scratch,
    },
};

/// The port at which `conversation.ollama` expects its server.
const OLLAMA: u16 = 11434;

/// Returns a folder with components for daprd, each with a type and metadata.
pub(super) fn resources(components: &[(&str, &str, &[Value])]) -> PathBuf {
    let folder = scratch("behind-daprd");
    for (name, kind, metadata) in components {
        manifest::component(&folder, name, kind, metadata);
    }
    folder
}

/// Returns the metadata of a `conversation.openai` that mynah serves at this port.
pub(super) fn openai(port: u16) -> [Value; 3] {
    let endpoint = format!("http://127.0.0.1:{port}/v1");
    [item("key", "any"), item("model", "echo"), item("endpoint", &endpoint)]
}

/// Starts mynah on a port, with a component `echo` that follows chains.
pub(super) fn mynah(port: u16, environment: &[(&str, &str)], flags: &[&str]) -> Sidecar {
    let folder = scratch("mynah-behind-daprd");
    manifest::component(&folder, "echo", "conversation.scripted", &[]);
    let port = format!("--dapr-http-port={port}");
    let own = ["--dapr-grpc-port=0", "--metrics-port=0", &port, "--resources-path"];
    Sidecar::start_with_ports(environment, &[&own[..], &[folder.to_str().unwrap()], flags].concat())
}

/// Starts daprd and runs a test with it.
pub(super) fn with_daprd<T: Future<Output = ()>>(setup: &Setup, test: impl FnOnce(Target) -> T) {
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

    let private = ConversationRequestAlpha2 {
        context_id: Some("c-1".to_owned()),
        inputs: vec![ConversationInputAlpha2 {
            scrub_pii: Some(true),
            ..input([user("I am at a@example.com")])
        }],
        name: component.to_owned(),
        ..Default::default()
    };
    let mut client = DaprClient::connect(format!("http://{}", daprd.grpc)).await.unwrap();
    let scrubbed = client.converse_alpha2(private).await.unwrap().into_inner();
    assert_eq!(scrubbed.context_id(), "c-1");
    assert_eq!(Answer::from(scrubbed).content, "I am at <EMAIL_ADDRESS>");

    let error = json!({"error": {"code": "RESOURCE_EXHAUSTED", "message": "slow down"}});
    let error = converse(daprd, component, request([chain(json!([error]))])).await.unwrap_err();
    let expected = "API returned unexpected status code: 429: slow down";
    assert_eq!(error.code(), Code::Internal);
    assert_eq!(
        error.message(),
        format!("failed conversing with component {component}: {expected}")
    );
}

#[needs("daprd")]
#[test]
fn components_for_openai_are_answered_by_mynah() {
    let items = openai(OLLAMA);
    let azure =
        [&items[..], &[item("apiType", "azure"), item("apiVersion", "2024-10-21")]].concat();
    let components: [(&str, &str, &[Value]); 4] = [
        ("endpoint", "conversation.openai", &items),
        ("variable", "conversation.openai", &items[..1]),
        ("azure", "conversation.openai", &azure),
        ("ollama", "conversation.ollama", &[]),
    ];
    let setup = Setup {
        resources: vec![resources(&components)],
        environment: vec![("OPENAI_BASE_URL", format!("http://127.0.0.1:{OLLAMA}/v1"))],
        ..Setup::default()
    };
    with_daprd(&setup, async |daprd| {
        let is_free = async || TcpListener::bind(("127.0.0.1", OLLAMA)).ok().map(drop);
        wait_until(is_free, "the port of Ollama is in use").await;
        let _mynah = mynah(OLLAMA, &[], &[]);
        for (component, ..) in components {
            is_answered_by_mynah(&daprd, component).await;
        }
    });
}

#[needs("daprd", "python", "go", "dapr-agents", "grpcurl")]
#[test]
fn clients_work_with_an_openai_component() {
    let port = ReservedPort::new();
    let resources = vec![resources(&[("echo", "conversation.openai", &openai(port.number))])];
    with_daprd(&Setup { resources, ..Setup::default() }, async |daprd| {
        let _mynah = mynah(port.number, &[], &[]);
        clients::work_with(daprd.grpc, daprd.http).await;
    });
}

#[needs("daprd")]
#[test]
fn daprd_serves_while_mynah_is_away() {
    let port = ReservedPort::new();
    let resources = vec![resources(&[("openai", "conversation.openai", &openai(port.number))])];
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

#[needs("daprd")]
#[test]
fn calls_recover_when_mynah_restarts_under_load() {
    let port = ReservedPort::new();
    let resources = vec![resources(&[("openai", "conversation.openai", &openai(port.number))])];
    with_daprd(&Setup { resources, ..Setup::default() }, async |daprd| {
        let mut running = mynah(port.number, &[], &[]);
        let (load, clients) = Load::start(daprd.http, "openai");
        for signal in [Signal::TERM, Signal::KILL, Signal::TERM] {
            load.wait_for_answers().await;
            running.signal(signal);
            with_timeout(running.wait()).await;
            running = mynah(port.number, &[], &[]);
        }
        load.wait_for_answers().await;
        load.stop();
        clients.join_all().await;
    });
}

#[needs("daprd")]
#[test]
fn deadlines_cancel_the_call_of_mynah() {
    let port = ReservedPort::new();
    let resources = vec![resources(&[("openai", "conversation.openai", &openai(port.number))])];
    with_daprd(&Setup { resources, ..Setup::default() }, async |daprd| {
        let mut mynah = mynah(port.number, &[], &["--dapr-graceful-shutdown-seconds=3600"]);
        let slow = request([chain(json!([{ "delay": "1h", "messages": [{ "text": "late" }] }]))]);
        let mut call =
            Request::new(ConversationRequestAlpha2 { name: "openai".to_owned(), ..slow });
        call.set_timeout(Duration::from_secs(1));
        let mut client = DaprClient::connect(format!("http://{}", daprd.grpc)).await.unwrap();
        with_timeout(client.converse_alpha2(call)).await.unwrap_err();
        // mynah exits only when no call is in flight.
        mynah.signal(Signal::TERM);
        with_timeout(mynah.wait()).await;
    });
}

#[needs("daprd")]
#[test]
fn policies_of_daprd_retry_the_calls_of_mynah() {
    let port = ReservedPort::new();
    let folder = resources(&[("openai", "conversation.openai", &openai(port.number))]);
    let policies = fs::read_to_string(super::folder("components/daprd/resiliency.yaml")).unwrap();
    fs::write(folder.join("resiliency.yaml"), policies).unwrap();
    with_daprd(&Setup { resources: vec![folder], ..Setup::default() }, async |daprd| {
        let mynah = mynah(port.number, &[], &[]);
        let fault = json!({ "fail_first": 2, "error": { "code": "UNAVAILABLE" } });
        let put = direct_client().put(mynah.url("/mynah/v1/faults")).body(fault.to_string());
        assert_eq!(mynah.send(put).await.status, 204);
        assert_eq!(content(&daprd, "openai", request([user("Hello!")])).await, "Hello!");
        let verdict = mynah.get("/mynah/v1/verdict").await.json();
        let counts = ["ok", "retries", "recovered"].map(|name| verdict[name].clone());
        assert_eq!(counts, [json!(true), json!(2), json!(1)], "{verdict}");
    });
}
