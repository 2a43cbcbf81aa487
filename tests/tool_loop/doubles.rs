//! Test doubles of models, and helpers that define tools.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, StreamExt, TryFutureExt, future::BoxFuture, stream};
use mynah::{
    chat::{Delta, FinishReason, LazyJson, Message, Request, Response, Role, Tool, ToolCall},
    provider::{Answering, CallContext, Provider, ProviderError},
    tool_loop::{RegisteredTool, RunTool, ToolContext, ToolError, ToolOutput, ToolRegistry},
};
use serde_json::{Value, json};

/// A model that computes its answers from the request.
struct Model<F>(F);

/// Returns a model that answers each request with `answer`.
pub fn model(
    answer: impl Fn(&Request) -> Result<Response, ProviderError> + Send + Sync + 'static,
) -> Arc<dyn Provider> {
    Arc::new(Model(answer))
}

/// Returns a model that makes these calls, turn by turn, and then answers with the results.
pub fn calls_then_repeats(turns: &[&[(&str, &str)]]) -> Arc<dyn Provider> {
    let turns: Vec<Response> = turns.iter().map(|calls| call_response(calls)).collect();
    model(move |request| Ok(turns.get(turn(request)).cloned().unwrap_or_else(|| repeat(request))))
}

/// Returns a model that makes the same calls in every turn.
pub fn calls_forever(calls: &[(&str, &str)]) -> Arc<dyn Provider> {
    let response = call_response(calls);
    model(move |_| Ok(response.clone()))
}

/// Sleeps. Use it only in tests with a paused clock.
#[expect(clippy::disallowed_methods, reason = "the tests pause the clock")]
pub async fn sleep(time: Duration) {
    tokio::time::sleep(time).await;
}

/// Lets the other tasks of this thread run until they wait.
pub async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// Returns the number of answers in the history.
pub fn turn(request: &Request) -> usize {
    let is_answer = |message: &&Message| matches!(message.role, Role::Assistant { .. });
    request.messages.iter().filter(is_answer).count()
}

/// Returns a response with calls, given by name and arguments.
pub fn call_response(calls: &[(&str, &str)]) -> Response {
    let call = |(name, arguments): &(&str, &str)| ToolCall {
        id: None,
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    let tool_calls = calls.iter().map(call).collect();
    Response { tool_calls, finish_reason: FinishReason::ToolCalls, ..Response::default() }
}

/// Returns a response with this text.
pub fn text_response(text: impl Into<String>) -> Response {
    Response { content: text.into(), ..Response::default() }
}

/// Returns a response that repeats all results in the history.
fn repeat(request: &Request) -> Response {
    let results =
        request.messages.iter().filter(|message| matches!(message.role, Role::Tool { .. }));
    text_response(results.map(Message::text).collect::<Vec<_>>().join("\n"))
}

impl<F> Provider for Model<F>
where
    F: Fn(&Request) -> Result<Response, ProviderError> + Send + Sync,
{
    fn answer(self: Arc<Self>, request: Arc<Request>, _: CallContext) -> Answering {
        let response = match (self.0)(&request) {
            Ok(response) => response,
            Err(error) => return error.into(),
        };
        let words = response.content.split_inclusive(' ').map(|word| Delta::Text(word.to_owned()));
        let deltas: Vec<_> =
            words.chain([Delta::Complete(response.clone().into())]).map(Ok).collect();
        Answering::Pieces(stream::iter(deltas).boxed())
    }
}

/// A tool that accepts any arguments.
struct AnyArguments<F>(F);

impl<F, W> RunTool for AnyArguments<F>
where
    F: Fn(Value) -> W + Send + Sync,
    W: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    fn run(
        &self,
        arguments: Value,
        _: ToolContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        (self.0)(arguments).map_ok(ToolOutput::from).boxed()
    }
}

/// Adds a tool that accepts any arguments.
pub fn add<'r, F, W>(registry: &'r mut ToolRegistry, name: &str, run: F) -> &'r mut RegisteredTool
where
    F: Fn(Value) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    let parameters = Some(LazyJson::new(json!({"type": "object"})));
    let definition = Tool { name: name.to_owned(), description: None, parameters };
    registry.add(definition, AnyArguments(run)).expect("a tool")
}

/// Returns a registry with one tool, which accepts any arguments.
pub fn single_tool<F, W>(name: &str, run: F) -> ToolRegistry
where
    F: Fn(Value) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    let mut registry = ToolRegistry::new();
    add(&mut registry, name, run);
    registry
}

/// Returns a registry with one tool, which returns its arguments.
pub fn identity(name: &str) -> ToolRegistry {
    single_tool(name, async |arguments| Ok(arguments))
}
