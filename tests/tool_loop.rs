//! The loop that runs tools: with mynah's echo over a real socket where that will do, and else with
//! doubles of models that do what no echo would.

mod double;

mod any_model;
mod budgets;
mod cancelling;
mod commands;
mod ends;
mod faults;
mod history;
mod metrics;
mod old_sidecar;
mod registry;
mod remote;
mod resting;
mod results;
mod resuming;
mod scripts;
mod seed;
mod spans;
mod text;

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
