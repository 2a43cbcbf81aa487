//! The tool loop: runs against mynah's echo over a real socket where possible, and against test
//! doubles of models for behaviour that echo never shows.

mod doubles;

mod registry;
mod end_to_end;
mod end_reasons;
mod limits;
mod cancellation;
mod tool_failures;
mod circuit_breaker;
mod results;
mod history;
mod resuming;
mod text_rendering;
mod command_tools;
mod scripted_models;
mod random_models;
mod remote_component;
mod unary_sidecar;
mod metrics;
mod spans;

use std::sync::Arc;

use mynah::{
    chat::{Message, Request, Role},
    provider::Provider,
    tool_loop::{CancellationToken, LoopResult, LoopSettings, ToolLoop, ToolRegistry},
};

/// A question of the user.
fn ask(text: &str) -> Request {
    Request { messages: vec![Message::new(Role::User, text)], ..Request::default() }
}

/// Runs a loop of these tools until it ends.
async fn run(
    registry: ToolRegistry,
    settings: LoopSettings,
    model: Arc<dyn Provider>,
) -> LoopResult {
    let tool_loop = ToolLoop::new(registry, settings).expect("valid settings");
    run_again(&tool_loop, model).await
}

/// Runs a loop once more.
async fn run_again(tool_loop: &ToolLoop, model: Arc<dyn Provider>) -> LoopResult {
    let result = tool_loop.run(model, ask("Go!"), CancellationToken::new()).await;
    every_call_has_its_result(&result);
    result
}

/// What a model would refuse if it were not so.
fn every_call_has_its_result(result: &LoopResult) {
    let mut expected: Vec<&str> = Vec::new();
    for message in &result.transcript {
        match &message.role {
            Role::Tool { id, .. } => {
                assert!(!expected.is_empty(), "{message:?} answers no call");
                assert_eq!(id.as_deref(), Some(expected.remove(0)));
                assert_eq!(message.parts.len(), 1, "one part: {message:?}");
            }
            Role::Assistant { tool_calls } => {
                assert_eq!(expected, [""; 0], "calls without a result");
                expected = tool_calls.iter().map(|call| call.id.as_deref().unwrap()).collect();
            }
            _ => assert_eq!(expected, [""; 0], "calls without a result"),
        }
    }
    assert_eq!(expected, [""; 0], "calls without a result");
}

/// What the model was told, call by call.
fn told(result: &LoopResult) -> Vec<&str> {
    result.calls.iter().map(|call| call.result.as_str()).collect()
}

/// What became of each call.
fn outcomes(result: &LoopResult) -> Vec<&'static str> {
    result.calls.iter().map(|call| call.outcome.as_str()).collect()
}
