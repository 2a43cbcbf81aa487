//! The trait for tools.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{ToolContext, ToolError, ToolOutput};

/// A tool that receives its arguments as JSON. To use a function or closure as a tool, call
/// [`ToolRegistry::register`](super::ToolRegistry::register) or
/// [`ToolRegistry::register_with_schema`](super::ToolRegistry::register_with_schema) instead.
///
/// The returned future runs in the task of the loop, concurrently with other tools. Move blocking
/// work to `tokio::task::spawn_blocking`, as registered functions that are not async do. Dropping the
/// future cancels the call.
///
/// ```
/// use futures_util::FutureExt;
/// use mynah_agent::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture, ToolRegistry};
/// use mynah_core::chat::Tool;
/// use serde_json::{Value, json};
///
/// struct Length;
///
/// impl RunTool for Length {
///     fn run(&self, arguments: Value, _: ToolContext) -> ToolFuture<'_> {
///         async move {
///             let text = arguments["text"].as_str().ok_or_else(|| ToolError::refused("no text"))?;
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
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_>;
}

/// The future of a [`RunTool`]. To create one, box an async block.
pub type ToolFuture<'t> = BoxFuture<'t, Result<ToolOutput, ToolError>>;

impl<R: RunTool + ?Sized> RunTool for Arc<R> {
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_> {
        (**self).run(arguments, context)
    }
}
