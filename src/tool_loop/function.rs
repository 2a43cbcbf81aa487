//! Functions and closures as tools.

use std::{future::Future, marker::PhantomData};

use futures_util::FutureExt;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{RunTool, ToolContext, ToolError, ToolFuture, ToolOutput};

/// An async function or closure that can be registered as a tool. It takes the arguments, and
/// optionally a [`ToolContext`]. It returns a value that can be serialized, or a [`ToolError`].
///
/// `P` is the tuple of the parameter types. It is inferred.
pub trait ToolFunction<P>: Send + Sync + 'static {
    /// Type of the arguments.
    type Arguments;

    /// Calls the function.
    fn call(
        &self,
        arguments: Self::Arguments,
        context: ToolContext,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;
}

impl<F, A, W, T> ToolFunction<(A,)> for F
where
    F: Fn(A) -> W + Send + Sync + 'static,
    A: Send,
    W: Future<Output = Result<T, ToolError>> + Send,
    T: Serialize,
{
    type Arguments = A;

    async fn call(&self, arguments: A, _: ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::new(&self(arguments).await?)?)
    }
}

impl<F, A, W, T> ToolFunction<(A, ToolContext)> for F
where
    F: Fn(A, ToolContext) -> W + Send + Sync + 'static,
    A: Send,
    W: Future<Output = Result<T, ToolError>> + Send,
    T: Serialize,
{
    type Arguments = A;

    async fn call(&self, arguments: A, context: ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::new(&self(arguments, context).await?)?)
    }
}

/// A tool that deserializes its arguments and passes them to a function.
pub(super) struct TypedTool<P, F> {
    pub(super) function: F,
    pub(super) parameters: PhantomData<fn(P)>,
}

impl<P, F> RunTool for TypedTool<P, F>
where
    F: ToolFunction<P, Arguments: DeserializeOwned + Send>,
{
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_> {
        async move { self.function.call(serde_json::from_value(arguments)?, context).await }.boxed()
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
