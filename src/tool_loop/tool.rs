//! What a tool is to the program that has it.

use std::{error::Error, fmt::Display, future::Future, marker::PhantomData};

use futures_util::{FutureExt, future::BoxFuture};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Runs a tool whose arguments are known only at run time. Typed tools are closures; see
/// [`ToolRegistry::register`](super::ToolRegistry::register).
///
/// The future runs on the task of the loop, beside other tools: what blocks belongs in
/// `tokio::task::spawn_blocking`. Dropping the future stops the tool.
pub trait RunTool: Send + Sync {
    /// The result of one call. The arguments are a JSON object, valid against the tool's schema.
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>>;
}

impl<R: RunTool + ?Sized> RunTool for Box<R> {
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        (**self).run(arguments)
    }
}

/// Why a tool has no result, in words for the model. Any error becomes one with `?`.
///
/// ```
/// use mynah::tool_loop::ToolError;
/// fn degrees(text: &str) -> Result<f64, ToolError> {
///     Ok(text.parse()?)
/// }
/// assert_eq!(degrees("warm").unwrap_err().message(), "invalid float literal");
/// assert_eq!(ToolError::new("no such city").message(), "no such city");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError(String);

impl ToolError {
    /// An error of these words.
    pub fn new(message: impl Display) -> Self {
        Self(message.to_string())
    }

    /// Its words.
    pub fn message(&self) -> &str {
        &self.0
    }
}

// No `Error` itself, or it could not be made of every other.
impl<E: Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error)
    }
}

/// A closure that takes its arguments as a type.
pub(super) struct Typed<A, F> {
    function: F,
    arguments: PhantomData<fn(A)>,
}

impl<A, F> Typed<A, F> {
    pub(super) fn new(function: F) -> Self {
        Self { function, arguments: PhantomData }
    }
}

impl<A, F, W, T> RunTool for Typed<A, F>
where
    A: DeserializeOwned + Send,
    F: Fn(A) -> W + Send + Sync,
    W: Future<Output = Result<T, ToolError>> + Send,
    T: Serialize,
{
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        async move {
            let work = (self.function)(serde_json::from_value(arguments)?);
            Ok(serde_json::to_value(work.await?)?)
        }
        .boxed()
    }
}

/// The JSON Schema of a type, in one piece and without what a model has no use for.
pub(super) fn schema_of<A: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    // Many a model does not follow references.
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    schema.to_value()
}
