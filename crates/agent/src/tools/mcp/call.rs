//! Calls a tool of a server.

use std::sync::Arc;

use futures_util::FutureExt;
use mynah_core::base::{
    blocking::{LARGE, run_blocking},
    memory::Reservation,
};
use rmcp::{
    ServiceError,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, ErrorCode, ServerResult},
};
use serde_json::Value;

use super::connection::Link;
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture, ToolOutput};

/// A result and the output that is made of it.
const COPIES: usize = 2;
/// Memory for a JSON value in a list or an object.
const VALUE: usize = 64;

/// A tool of an MCP server.
#[derive(Debug)]
pub(crate) struct McpTool {
    link: Arc<Link>,
    /// The name by which the server is called.
    name: String,
}

impl McpTool {
    pub(super) fn new(link: Arc<Link>, name: String) -> Self {
        Self { link, name }
    }

    /// Calls the tool. Dropping the future notifies the server that the call is cancelled.
    async fn call(
        &self,
        arguments: Value,
        memory: &Arc<Reservation>,
    ) -> Result<ToolOutput, ToolError> {
        let connection = self.link.connection().await.map_err(|reason| {
            ToolError::new(format_args!("cannot connect to the MCP server: {reason}"))
        })?;
        let Value::Object(arguments) = arguments else {
            return Err(ToolError::refused("the arguments are not an object"));
        };
        let call = CallToolRequestParams::new(self.name.clone()).with_arguments(arguments);
        match connection.call(call, memory.clone()).await {
            Ok(ServerResult::CallToolResult(result)) => {
                // A server that is a child process has filled the memory already.
                memory.grow_now_to(COPIES * size(&result))?;
                read(result).await
            }
            Ok(ServerResult::EmptyResult(_)) => read(CallToolResult::default()).await,
            Ok(ServerResult::InputRequiredResult(_) | ServerResult::CreateTaskResult(_)) => {
                Err(ToolError::failed("the MCP server asks for input, which is not supported"))
            }
            Ok(_) => Err(ToolError::new(connection.explain(ServiceError::UnexpectedResponse))),
            Err(error) if is_refusal(&error) => Err(ToolError::refused(connection.explain(error))),
            Err(error) => Err(ToolError::new(connection.explain(error))),
        }
    }
}

impl RunTool for McpTool {
    fn run(&self, arguments: Value, context: ToolContext) -> ToolFuture<'_> {
        async move { self.call(arguments, context.memory()).await }.boxed()
    }
}

/// Returns `true` if a server works but does not accept the call.
fn is_refusal(error: &ServiceError) -> bool {
    const REFUSALS: [ErrorCode; 3] =
        [ErrorCode::INVALID_PARAMS, ErrorCode::INVALID_REQUEST, ErrorCode::METHOD_NOT_FOUND];
    matches!(error, ServiceError::McpError(error) if REFUSALS.contains(&error.code))
}

/// Returns roughly the memory of a result in bytes.
fn size(result: &CallToolResult) -> usize {
    let part = |part: &ContentBlock| match part {
        ContentBlock::Text(part) => part.text.len(),
        other => serde_json::to_vec(other).map_or(0, |json| json.len()),
    };
    let parts: usize = result.content.iter().map(part).sum();
    parts + result.structured_content.as_ref().map_or(0, size_of_json)
}

fn size_of_json(value: &Value) -> usize {
    let content = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size_of_json).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + size_of_json(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    VALUE + content
}

/// Reads a result, on a blocking thread unless it is a short text.
async fn read(result: CallToolResult) -> Result<ToolOutput, ToolError> {
    let text_len = |part: &ContentBlock| part.as_text().map(|part| part.text.len());
    let len: Option<usize> = result.content.iter().map(text_len).sum();
    if result.structured_content.is_none() && len.is_some_and(|len| len <= LARGE) {
        return output(result);
    }
    let output = run_blocking(move || output(result)).await;
    output.unwrap_or_else(|_| Err(ToolError::failed("the result cannot be read")))
}

fn output(result: CallToolResult) -> Result<ToolOutput, ToolError> {
    let output = value(&result.content, result.structured_content)?;
    if result.is_error == Some(true) {
        return Err(ToolError::refused(ToolOutput::from(output).text()));
    }
    Ok(output.into())
}

/// Returns the parts of a result, each on lines of its own. Structured content is used if there are
/// no other parts, or if the only part is a text with the same JSON.
fn value(content: &[ContentBlock], structured: Option<Value>) -> Result<Value, ToolError> {
    let is_same = |structured: &Value| match content {
        [] => true,
        [ContentBlock::Text(part)] => {
            serde_json::from_str::<Value>(&part.text).is_ok_and(|value| value == *structured)
        }
        _ => false,
    };
    if let Some(structured) = structured.filter(is_same) {
        return Ok(structured);
    }
    let parts: Vec<_> = content.iter().map(text_of).collect::<Result<_, _>>()?;
    Ok(parts.join("\n").into())
}

fn text_of(part: &ContentBlock) -> serde_json::Result<String> {
    match part {
        ContentBlock::Text(part) => Ok(part.text.clone()),
        other => serde_json::to_string(other),
    }
}
