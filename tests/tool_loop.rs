//! Tests of the tool loop. If possible, they use mynah's echo over a real socket. For behavior that
//! echo never shows, they use test doubles of models.

pub mod doubles;

mod registry;
mod end_to_end;
mod end_reasons;
mod limits;
mod cancellation;
mod sync_tools;
mod tool_failures;
mod panics;
mod context;
mod hooks;
mod circuit_breaker;
mod results;
mod history;
mod resuming;
mod cut_runs;
mod text_rendering;
#[cfg(target_os = "linux")]
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
    tool_loop::{LoopResult, LoopSettings, ToolLoop, ToolRegistry},
};

/// Returns a request with one user message.
fn ask(text: &str) -> Request {
    Request { messages: vec![Message::new(Role::User, text)], ..Request::default() }
}

/// Runs a new loop with these tools until it ends.
async fn run(
    registry: ToolRegistry,
    settings: LoopSettings,
    model: Arc<dyn Provider>,
) -> LoopResult {
    let tool_loop = ToolLoop::new(registry, settings).expect("valid settings");
    run_again(&tool_loop, model).await
}

/// Runs a loop that may have run before.
async fn run_again(tool_loop: &ToolLoop, model: Arc<dyn Provider>) -> LoopResult {
    let result = tool_loop.run(model, ask("Go!")).await;
    assert_every_call_has_a_result(&result);
    result
}

/// Asserts that every call has a result, because models reject other histories.
fn assert_every_call_has_a_result(result: &LoopResult) {
    let mut expected: Vec<&str> = Vec::new();
    for message in &result.transcript {
        match &message.role {
            Role::Tool { id, .. } => {
                assert!(!expected.is_empty(), "{message:?} belongs to no call");
                assert_eq!(id.as_deref(), Some(expected.remove(0)));
                assert_eq!(message.parts.len(), 1, "one part: {message:?}");
            }
            Role::Assistant { tool_calls } => {
                assert_eq!(expected, [""; 0], "calls have no result");
                expected = tool_calls.iter().map(|call| call.id.as_deref().unwrap()).collect();
            }
            _ => assert_eq!(expected, [""; 0], "calls have no result"),
        }
    }
    assert_eq!(expected, [""; 0], "calls have no result");
}

/// Returns the result that the model received for each call.
fn result_texts(result: &LoopResult) -> Vec<&str> {
    result.calls.iter().map(|call| call.result.text()).collect()
}

/// Returns the outcome of each call.
fn outcomes(result: &LoopResult) -> Vec<&'static str> {
    result.calls.iter().map(|call| call.outcome.as_str()).collect()
}
