//! The trait for tools, and its implementation for typed closures.

use std::{error::Error, fmt::Display, future::Future, marker::PhantomData};

use futures_util::{FutureExt, future::BoxFuture};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{CallFailure, output::ToolOutput};

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
///     tool_loop::{RunTool, ToolError, ToolOutput, ToolRegistry},
/// };
/// use serde_json::{Value, json};
///
/// struct Length;
///
/// impl RunTool for Length {
///     fn run(&self, arguments: Value) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
///         async move {
///             let text = arguments["text"].as_str().ok_or_else(|| ToolError::new("no text"))?;
///             Ok(json!(text.chars().count()).into())
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
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<ToolOutput, ToolError>>;
}

impl<R: RunTool + ?Sized> RunTool for Box<R> {
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
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
/// let error = degrees("warm").unwrap_err();
/// assert_eq!(error.message(), "invalid float literal");
/// assert!(error.source().unwrap().is::<std::num::ParseFloatError>());
/// assert_eq!(ToolError::new("the database is away").message(), "the database is away");
/// assert!(ToolError::refused("no such city").is_refusal());
/// ```
#[derive(Debug)]
pub struct ToolError {
    message: String,
    is_refusal: bool,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl ToolError {
    /// Creates an error of a tool that failed. The call is retried if the tool's settings allow it,
    /// and counts as a failure for the circuit breaker.
    pub fn new(message: impl Display) -> Self {
        Self { message: message.to_string(), is_refusal: false, source: None }
    }

    /// Creates an error of a tool that works but refuses the call, for example because something does
    /// not exist. The call is not retried, and does not count for the circuit breaker.
    pub fn refused(message: impl Display) -> Self {
        Self { is_refusal: true, ..Self::new(message) }
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns `true` if the tool works but refuses the call.
    pub fn is_refusal(&self) -> bool {
        self.is_refusal
    }

    /// Returns the error from which this error was converted.
    pub fn source(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.source.as_deref()
    }

    pub(super) fn into_failure(self) -> CallFailure {
        if self.is_refusal {
            CallFailure::Refused(self.message)
        } else {
            CallFailure::Error(self.message)
        }
    }
}

// `ToolError` cannot implement `Error`, which would conflict with this conversion.
impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let converted = Self::new(&error);
        Self { source: Some(Box::new(error)), ..converted }
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
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        async move {
            let result = (self.function)(serde_json::from_value(arguments)?).await?;
            Ok(ToolOutput::new(&result)?)
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
