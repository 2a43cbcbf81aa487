//! Functions and closures as tools.

use std::{future::Future, marker::PhantomData, panic, sync::Arc};

use futures_util::FutureExt;
use mynah_core::base::blocking::run_blocking;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tracing::Span;

use super::{RunTool, ToolContext, ToolError, ToolFuture, ToolOutput, output::ToolReturn};

/// A function or closure that can be registered as a tool. It takes the arguments, and optionally a
/// [`ToolContext`]. It is async, or it runs on a blocking thread. What it returns is a
/// [`ToolReturn`].
///
/// `P` tells these kinds of functions apart. It is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool",
    label = "not a function that can be a tool",
    note = "a tool is a sync or async function of its arguments, and optionally a `ToolContext`",
    note = "the type of the arguments implements `serde::Deserialize` and `schemars::JsonSchema`, \
            and is written out in closures",
    note = "the function returns a text, a number or another `ToolReturn`, or a \
            `Result<T, ToolError>` whose `T` implements `serde::Serialize`"
)]
pub trait ToolFunction<P>: Send + Sync + 'static {
    /// Type of the arguments.
    type Arguments;

    /// Calls the function.
    fn call(
        self: Arc<Self>,
        arguments: Self::Arguments,
        context: ToolContext,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;
}

impl<F, A, W> ToolFunction<(A,)> for F
where
    F: Fn(A) -> W + Send + Sync + 'static,
    A: Send,
    W: Future<Output: ToolReturn> + Send,
{
    type Arguments = A;

    async fn call(self: Arc<Self>, arguments: A, _: ToolContext) -> Result<ToolOutput, ToolError> {
        self(arguments).await.into_output()
    }
}

impl<F, A, W> ToolFunction<(A, ToolContext)> for F
where
    F: Fn(A, ToolContext) -> W + Send + Sync + 'static,
    A: Send,
    W: Future<Output: ToolReturn> + Send,
{
    type Arguments = A;

    async fn call(
        self: Arc<Self>,
        arguments: A,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        self(arguments, context).await.into_output()
    }
}

/// Marks the parameter types of a function that is not async.
pub struct Blocking<P>(PhantomData<P>);

impl<F, A, R> ToolFunction<Blocking<(A,)>> for F
where
    F: Fn(A) -> R + Send + Sync + 'static,
    A: Send + 'static,
    R: ToolReturn,
{
    type Arguments = A;

    async fn call(self: Arc<Self>, arguments: A, _: ToolContext) -> Result<ToolOutput, ToolError> {
        on_blocking_thread(move || self(arguments).into_output()).await
    }
}

impl<F, A, R> ToolFunction<Blocking<(A, ToolContext)>> for F
where
    F: Fn(A, ToolContext) -> R + Send + Sync + 'static,
    A: Send + 'static,
    R: ToolReturn,
{
    type Arguments = A;

    async fn call(
        self: Arc<Self>,
        arguments: A,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        on_blocking_thread(move || self(arguments, context).into_output()).await
    }
}

/// Runs a function on a blocking thread, so that the loop can stop waiting for it. Panics if the
/// function panics.
async fn on_blocking_thread(
    work: impl FnOnce() -> Result<ToolOutput, ToolError> + Send + 'static,
) -> Result<ToolOutput, ToolError> {
    let span = Span::current();
    // The message of a panic is for the model.
    let caught = move || panic::catch_unwind(panic::AssertUnwindSafe(|| span.in_scope(work)));
    match run_blocking(caught).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => panic::resume_unwind(panic),
        // The runtime shuts down.
        Err(_) => Err(ToolError::failed("the tool did not run")),
    }
}

/// A tool that deserializes its arguments and passes them to a function.
pub(super) struct TypedTool<P, F> {
    pub(super) function: Arc<F>,
    pub(super) parameters: PhantomData<fn(P)>,
}

impl<P, F> RunTool for TypedTool<P, F>
where
    F: ToolFunction<P, Arguments: DeserializeOwned + Send>,
{
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_> {
        let function = self.function.clone();
        async move { function.call(serde_json::from_value(arguments)?, context).await }.boxed()
    }
}

/// Returns the JSON Schema of a type, without references and without parts that models ignore.
pub(super) fn schema_of<A: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    // Many models do not follow references.
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    schema.to_value()
}
