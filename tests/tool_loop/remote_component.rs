//! A component of another process: mynah, which streams, and daprd, which does not.

use std::sync::Arc;

use futures_util::StreamExt;
use mynah::{
    chat::{Message, Request, Role, ToolChoice},
    client::RemoteComponent,
    provider::Provider,
    tool_loop::{
        CancellationToken, EndReason, LoopEvent, LoopResult, LoopSettings, ToolLoop, ToolRegistry,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ask, every_call_has_its_result};
use crate::{
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
        .register("get_weather", "The weather of a city", async |place: Place| {
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

/// Runs the loop in both ways, which must come to the same.
async fn both_ways(model: Arc<dyn Provider>, request: Request) -> LoopResult {
    let events = tool_loop().run_stream(model.clone(), request.clone(), CancellationToken::new());
    let events: Vec<_> = events.collect().await;
    let Some(LoopEvent::Ended(streamed)) = events.last() else { panic!("{events:?}") };
    let result = tool_loop().run(model, request, CancellationToken::new()).await;
    assert_eq!(result.transcript, streamed.transcript);
    assert_eq!((&result.end, result.turns), (&streamed.end, streamed.turns));
    every_call_has_its_result(&result);
    result
}

#[tokio::test]
async fn mynah_is_asked_with_all_that_a_request_can_say() {
    let sidecar = Sidecar::start();
    let model = connect(&sidecar.grpc.to_string(), Some("echo")).await;
    assert_eq!(model.name(), "echo");
    let mut request = ask("What is the weather in Rome?");
    request.messages.insert(0, Message::new(Role::System, "Be brief."));
    request.tool_choice = ToolChoice::Required;
    request.context_id = Some("c".to_owned());
    let result = both_ways(model.clone(), request).await;
    assert_eq!((result.text(), &result.end), ("Sunny in Rome", &EndReason::Answered));
    let messages = ["a@b.co", "c@d.co"].map(|text| Message::new(Role::User, text)).into();
    let mut request = Request { messages, ..Request::default() };
    request.scrub_inputs.push(1..2);
    let scrubbed = both_ways(model, request).await;
    assert_eq!(scrubbed.text(), "<EMAIL_ADDRESS>");
}

#[tokio::test]
async fn a_refusal_is_the_error_of_the_model() {
    let sidecar = Sidecar::start();
    let model = connect(&sidecar.grpc.to_string(), Some("nope")).await;
    let result = both_ways(model, ask("Hello!")).await;
    let EndReason::ModelError(error) = &result.end else { panic!("{result:?}") };
    let text = "InvalidArgument: failed finding conversation component nope";
    assert!(error.to_string().ends_with(text), "{error}");
}

#[tokio::test]
async fn a_sidecar_that_is_not_there_is_named() {
    let error = RemoteComponent::connect("127.0.0.1:1", None, None).await.unwrap_err();
    assert!(error.to_string().starts_with("nobody listens at 127.0.0.1:1;"), "{error}");
    let error = RemoteComponent::connect("nonsense", None, None).await.unwrap_err();
    assert!(error.to_string().starts_with("invalid address \"nonsense\""), "{error}");
}

/// Its echo calls every tool in every turn, and its arguments are no JSON.
#[test]
fn a_loop_with_daprd_ends() {
    toolchain::suite("the tool loop with daprd", || {
        let program = Program::Daprd(toolchain::daprd()?);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let setup = Setup { resources: vec![program.components()], ..Setup::default() };
        runtime.block_on(async {
            let daprd = program.start(&setup).await.expect("a start");
            let model = connect(&daprd.grpc.to_string(), Some("echo")).await;
            let plain = both_ways_plain(model.clone()).await;
            assert_eq!((plain.text(), &plain.end), ("Hello, daprd!", &EndReason::Answered));
            let result = both_ways(model, ask("What is the weather in Rome?")).await;
            assert_ne!(result.end, EndReason::Answered);
            let told = &result.calls[0].result;
            assert!(
                told.starts_with("Error executing get_weather: the arguments are no JSON"),
                "{told}"
            );
        });
        Ok(())
    });
}

/// Without tools, so that it answers: the text is one delta.
async fn both_ways_plain(model: Arc<dyn Provider>) -> LoopResult {
    let no_tools = ToolLoop::new(ToolRegistry::new(), LoopSettings::default()).unwrap();
    let request = ask("Hello, daprd!");
    let events = Arc::new(no_tools).run_stream(model, request, CancellationToken::new());
    let mut events: Vec<_> = events.collect().await;
    let Some(LoopEvent::Ended(result)) = events.pop() else { panic!("{events:?}") };
    assert_eq!(events, [LoopEvent::Text("Hello, daprd!".to_owned())]);
    result
}
