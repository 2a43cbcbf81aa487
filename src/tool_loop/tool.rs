//! The trait for tools, and its implementation for typed closures.

use std::{error::Error, fmt::Display, future::Future, marker::PhantomData};

use futures_util::{FutureExt, future::BoxFuture};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A tool that receives its arguments as JSON. To use a closure with a typed argument as a tool,
/// call [`ToolRegistry::register`](super::ToolRegistry::register) instead.
///
/// The returned future runs in the task of the loop, concurrently with other tools. Move blocking
/// work to `tokio::task::spawn_blocking`. Dropping the future cancels the call.
///
/// ```
/// use futures_util::{FutureExt, future::BoxFuture};
/// use mynah::{
///     chat::Tool,
///     tool_loop::{RunTool, ToolError, ToolRegistry},
/// };
/// use serde_json::{Value, json};
///
/// struct Length;
///
/// impl RunTool for Length {
///     fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
///         async move {
///             let text = arguments["text"].as_str().ok_or_else(|| ToolError::new("no text"))?;
///             Ok(json!(text.chars().count()))
///         }
///         .boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let definition = Tool { name: "length".into(), description: None, parameters: None };
/// let mut registry = ToolRegistry::new();
/// registry.add(definition, Length)?;
/// assert_eq!(registry.run("length", r#"{"text": "mynah"}"#).await?, "5");
/// # Ok(())
/// # }
/// ```
pub trait RunTool: Send + Sync {
    /// Runs the tool once. `arguments` is a JSON object that is valid against the tool's schema.
    ///
    /// The model receives a returned string unchanged, and any other value as compact JSON.
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>>;
}

impl<R: RunTool + ?Sized> RunTool for Box<R> {
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        (**self).run(arguments)
    }
}

/// The error that a tool returns. The model receives its message.
///
/// The `?` operator converts any [`Error`] to this type.
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
    /// Creates an error with a message.
    pub fn new(message: impl Display) -> Self {
        Self(message.to_string())
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.0
    }
}

// `ToolError` cannot implement `Error`, which would conflict with this conversion.
impl<E: Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error)
    }
}

/// A tool that deserializes its arguments and passes them to a closure.
pub(super) struct TypedTool<A, F> {
    function: F,
    arguments: PhantomData<fn(A)>,
}

impl<A, F> TypedTool<A, F> {
    pub(super) fn new(function: F) -> Self {
        Self { function, arguments: PhantomData }
    }
}

impl<A, F, Fut, T> RunTool for TypedTool<A, F>
where
    A: DeserializeOwned + Send,
    F: Fn(A) -> Fut + Send + Sync,
    Fut: Future<Output = Result<T, ToolError>> + Send,
    T: Serialize,
{
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        async move {
            let result = (self.function)(serde_json::from_value(arguments)?).await?;
            Ok(serde_json::to_value(result)?)
        }
        .boxed()
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
