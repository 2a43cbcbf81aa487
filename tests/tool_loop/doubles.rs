//! Doubles of models, and tools in few words.

use std::{sync::Arc, time::Duration};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream},
};
use mynah::{
    chat::{Delta, FinishReason, LazyJson, Message, Request, Response, Role, Tool, ToolCall},
    provider::{Provider, ProviderError},
    tool_loop::{RunTool, ToolError, ToolRegistry},
};
use serde_json::{Value, json};

/// A model that is a function of the request.
struct Model<F>(F);

/// A model that answers with what `answer` makes of a request.
pub fn model(
    answer: impl Fn(&Request) -> Result<Response, ProviderError> + Send + Sync + 'static,
) -> Arc<dyn Provider> {
    Arc::new(Model(answer))
}

/// A model that makes these calls, turn by turn, and says at last what it was told.
pub fn calls_then_repeats(turns: &[&[(&str, &str)]]) -> Arc<dyn Provider> {
    let turns: Vec<Response> = turns.iter().map(|calls| calling(calls)).collect();
    model(move |request| Ok(turns.get(turn(request)).cloned().unwrap_or_else(|| repeat(request))))
}

/// A model that makes the same calls for ever.
pub fn calls_for_ever(calls: &[(&str, &str)]) -> Arc<dyn Provider> {
    let response = calling(calls);
    model(move |_| Ok(response.clone()))
}

/// Work that takes time, in tests whose clock is paused.
#[expect(clippy::disallowed_methods, reason = "a test drives this clock")]
pub async fn work_for(time: Duration) {
    tokio::time::sleep(time).await;
}

/// How often the model has answered.
pub fn turn(request: &Request) -> usize {
    let is_answer = |message: &&Message| matches!(message.role, Role::Assistant { .. });
    request.messages.iter().filter(is_answer).count()
}

/// An answer that calls tools, by names and arguments.
pub fn calling(calls: &[(&str, &str)]) -> Response {
    let call = |(name, arguments): &(&str, &str)| ToolCall {
        id: None,
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    let tool_calls = calls.iter().map(call).collect();
    Response { tool_calls, finish_reason: FinishReason::ToolCalls, ..Response::default() }
}

pub fn saying(text: impl Into<String>) -> Response {
    Response { content: text.into(), ..Response::default() }
}

fn repeat(request: &Request) -> Response {
    let results = request.messages.iter().filter(|said| matches!(said.role, Role::Tool { .. }));
    saying(results.map(Message::text).collect::<Vec<_>>().join("\n"))
}

impl<F> Provider for Model<F>
where
    F: Fn(&Request) -> Result<Response, ProviderError> + Send + Sync,
{
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        future::ready((self.0)(&request)).boxed()
    }

    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
    ) -> BoxStream<'static, Result<Delta, ProviderError>> {
        let response = match (self.0)(&request) {
            Ok(response) => response,
            Err(error) => return stream::once(future::ready(Err(error))).boxed(),
        };
        let words = response.content.split_inclusive(' ').map(|word| Delta::Text(word.to_owned()));
        let deltas: Vec<_> =
            words.chain([Delta::Complete(response.clone().into())]).map(Ok).collect();
        stream::iter(deltas).boxed()
    }
}

/// A tool that takes any arguments.
struct Free<F>(F);

impl<F, W> RunTool for Free<F>
where
    F: Fn(Value) -> W + Send + Sync,
    W: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        (self.0)(arguments).boxed()
    }
}

/// Adds a tool that takes any arguments.
pub fn add<F, W>(registry: &mut ToolRegistry, name: &str, run: F)
where
    F: Fn(Value) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    let parameters = Some(LazyJson::new(json!({"type": "object"})));
    let definition = Tool { name: name.to_owned(), description: None, parameters };
    registry.add(definition, Free(run)).expect("a tool");
}

/// A registry of one tool that takes any arguments.
pub fn one<F, W>(name: &str, run: F) -> ToolRegistry
where
    F: Fn(Value) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    let mut registry = ToolRegistry::new();
    add(&mut registry, name, run);
    registry
}

/// A registry of one tool that gives its arguments back.
pub fn identity(name: &str) -> ToolRegistry {
    one(name, async |arguments| Ok(arguments))
}
