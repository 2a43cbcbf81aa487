//! Tests of a component in another sidecar: mynah, or daprd, whose arguments are not JSON.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use mynah::{
    chat::{ErrorKind, Message, Request, Role, ToolChoice},
    client::RemoteComponent,
    provider::Provider,
    tool_loop::{LoopEnd, LoopEvent, LoopResult, LoopSettings, ToolLoop, ToolRegistry},
};
use mynah_needs::needs;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{ask, assert_every_call_has_a_result, scripted_models::script};
use crate::{
    chains::scripted,
    interop::toolchain,
    parity::target::{Program, Setup},
    support::Sidecar,
};

#[derive(Deserialize, JsonSchema)]
struct Place {
    city: String,
    #[serde(default)]
    unit: String,
}

fn weather() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    registry
        .register("get_weather", "The weather in a city", async |place: Place| {
            Ok(format!("Sunny in {}{}", place.city, place.unit))
        })
        .unwrap();
    registry
}

fn tool_loop() -> Arc<ToolLoop> {
    Arc::new(ToolLoop::new(weather(), LoopSettings::default()).unwrap())
}

async fn connect(address: &str, component: Option<&str>) -> Arc<RemoteComponent> {
    Arc::new(RemoteComponent::connect(address, component, None).await.expect("a connection"))
}

/// Runs the loop with and without streaming. Both runs must have the same result.
async fn run_both_ways(model: Arc<dyn Provider>, request: Request) -> LoopResult {
    let events = tool_loop().run(model.clone(), request.clone()).stream();
    let events: Vec<_> = events.collect().await;
    let Some(LoopEvent::Ended(streamed)) = events.last() else { panic!("{events:?}") };
    let result = tool_loop().run(model, request).await;
    assert_eq!(result.transcript, streamed.transcript);
    assert_eq!((&result.end, result.turns), (&streamed.end, streamed.turns));
    assert_every_call_has_a_result(&result);
    result
}

#[tokio::test]
async fn sends_every_field_of_a_request() {
    let sidecar = Sidecar::start();
    let model = connect(&sidecar.grpc.to_string(), Some("echo")).await;
    assert_eq!(model.name(), "echo");
    let mut request = ask("What is the weather in Rome?");
    request.messages.insert(0, Message::new(Role::System, "Be brief."));
    request.tool_choice = ToolChoice::Required;
    request.context_id = Some("c".to_owned());
    let result = run_both_ways(model.clone(), request).await;
    assert_eq!((result.text(), &result.end), ("Sunny in Rome", &LoopEnd::Answered));
    let messages = ["a@b.co", "c@d.co"].map(|text| Message::new(Role::User, text)).into();
    let mut request = Request { messages, ..Request::default() };
    request.scrub_inputs.push(1..2);
    let scrubbed = run_both_ways(model, request).await;
    assert_eq!(scrubbed.text(), "<EMAIL_ADDRESS>");
}

#[tokio::test]
async fn reports_an_unknown_component_as_a_model_error() {
    let sidecar = Sidecar::start();
    let model = connect(&sidecar.grpc.to_string(), Some("nope")).await;
    let result = run_both_ways(model, ask("Hello!")).await;
    let LoopEnd::ModelError(error) = &result.end else { panic!("{result:?}") };
    let text = "InvalidArgument: failed finding conversation component nope";
    assert!(error.to_string().ends_with(text), "{error}");
}

/// Whether to retry depends on the kind of the error and on the time to wait.
#[tokio::test]
async fn keeps_the_kind_and_the_details_of_an_error() {
    let sidecar = scripted("");
    let model = connect(&sidecar.grpc.to_string(), None).await;
    let error = json!({
        "code": "RESOURCE_EXHAUSTED",
        "message": "too many",
        "details": {"reason": "QUOTA", "domain": "example.com", "metadata": {"limit": "5"}},
        "retry_after": "2s",
    });
    let result = run_both_ways(model, script(json!([{ "error": error }]))).await;
    let LoopEnd::ModelError(error) = result.end else { panic!("{result:?}") };
    assert_eq!(error.kind, ErrorKind::ResourceExhausted);
    assert_eq!(error.retry_after, Some(Duration::from_secs(2)));
    let details = error.details.unwrap();
    assert_eq!((details.reason.as_str(), details.domain.as_str()), ("QUOTA", "example.com"));
    assert_eq!(details.metadata["limit"], "5");
}

/// A model can lack a feature in a sidecar that supports streaming.
#[tokio::test]
async fn streams_after_a_model_error_of_kind_unimplemented() {
    let sidecar = scripted("");
    let model = connect(&sidecar.grpc.to_string(), None).await;
    let step = json!({"error": {"code": "UNIMPLEMENTED", "message": "no"}});
    let result = run_both_ways(model.clone(), script(json!([step]))).await;
    let LoopEnd::ModelError(error) = result.end else { panic!("{result:?}") };
    assert_eq!(error.kind, ErrorKind::Unimplemented);
    let request = script(json!([{"messages": [{"text": "one two three"}]}]));
    let events = tool_loop().run(model, request).stream();
    let texts = events.filter(|event| std::future::ready(matches!(event, LoopEvent::Text(_))));
    assert_eq!(texts.count().await, 3);
}

#[tokio::test]
async fn names_the_address_of_an_unreachable_sidecar() {
    let error = RemoteComponent::connect("127.0.0.1:1", None, None).await.unwrap_err();
    assert!(error.to_string().starts_with("nothing listens at 127.0.0.1:1;"), "{error}");
    let error = RemoteComponent::connect("nonsense", None, None).await.unwrap_err();
    assert!(error.to_string().starts_with("invalid address \"nonsense\""), "{error}");
}

/// daprd's echo calls every tool in every turn, with arguments that are not JSON.
#[needs("daprd")]
#[test]
fn a_loop_against_daprd_ends() {
    toolchain::suite("daprd", || {
        let program = Program::Daprd(toolchain::daprd()?);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let setup = Setup { resources: vec![program.components()], ..Setup::default() };
        runtime.block_on(async {
            let daprd = program.start(&setup).await.expect("a start");
            let model = connect(&daprd.grpc.to_string(), Some("echo")).await;
            let plain = stream_without_tools(model.clone()).await;
            assert_eq!((plain.text(), &plain.end), ("Hello, daprd!", &LoopEnd::Answered));
            let result = run_both_ways(model, ask("What is the weather in Rome?")).await;
            assert_ne!(result.end, LoopEnd::Answered);
            let text = result.calls[0].result.text();
            assert!(
                text.starts_with("Error executing get_weather: the arguments are not a JSON"),
                "{text}"
            );
        });
        Ok(())
    });
}

/// Streams a run without tools, so that daprd answers. The text must arrive as one delta.
async fn stream_without_tools(model: Arc<dyn Provider>) -> LoopResult {
    let no_tools = ToolLoop::new(ToolRegistry::new(), LoopSettings::default()).unwrap();
    let request = ask("Hello, daprd!");
    let events = Arc::new(no_tools).run(model, request).stream();
    let mut events: Vec<_> = events.collect().await;
    let Some(LoopEvent::Ended(result)) = events.pop() else { panic!("{events:?}") };
    assert_eq!(events, [LoopEvent::Text("Hello, daprd!".to_owned())]);
    result
}
