//! The tools of an MCP server.

// source      the servers in a file
// connection  connects to a server, and again if the connection is lost
// stdio       a server that is a child process
// http        a server that is called over HTTP, and its events

mod connection;
mod http;
mod source;
mod stdio;

use std::sync::Arc;

use futures_util::FutureExt;
use mynah_core::{
    base::{
        blocking::{LARGE, run_blocking},
        clock::within,
        text::shorten,
    },
    chat::{LazyJson, Tool},
};
use rmcp::{
    ServiceError,
    model::{
        CallToolRequestParams, CallToolResult, ContentBlock, ErrorCode, PaginatedRequestParams,
        ServerResult,
    },
};
use serde_json::Value;

use self::connection::{Connection, Link, START_TIMEOUT};
pub(super) use self::source::{CheckedSource, McpSource};
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture, ToolOutput};

/// Maximum length of the reason why a server cannot be used, which may come from the server, in
/// characters.
const MAX_REASON: usize = 1_000;

/// A tool with its definition for the model.
pub(super) type RunnableTool = (Tool, Arc<dyn RunTool>);

/// Starts a server, or connects to it, and returns the selected tools. The connection belongs to
/// the runtime of the caller; its tools can be called from any runtime.
///
/// Fails with a message if the server cannot be used.
pub(super) async fn connect(source: CheckedSource) -> Result<Vec<RunnableTool>, String> {
    let CheckedSource { endpoint, include, prefix } = source;
    let label = endpoint.to_string();
    let connecting = async {
        let link = Arc::new(Link::open(endpoint).await?);
        let listed = link.connection().await?.list().await?;
        let selected = select(listed, include.as_deref(), &prefix)?.into_iter();
        let tool = |(definition, name)| -> RunnableTool {
            (definition, Arc::new(McpTool { link: link.clone(), name }))
        };
        Ok(selected.map(tool).collect())
    };
    let connected = within(START_TIMEOUT, connecting).await;
    let connected = connected.unwrap_or_else(|| Err(format!("no answer within {START_TIMEOUT:?}")));
    connected.map_err(|reason: String| {
        format!("the MCP server `{label}`: {}", shorten(&reason, MAX_REASON))
    })
}

/// Maximum number of tools of a server.
const MAX_TOOLS: usize = 2_000;
/// Maximum size of all definitions of a server in bytes.
const MAX_DEFINITIONS: usize = 16 << 20;
/// Maximum length of a name that models accept.
const MAX_NAME_LEN: usize = 64;

impl Connection {
    /// Lists all tools, under the server's names.
    async fn list(&self) -> Result<Vec<Tool>, String> {
        let (mut tools, mut size, mut cursor) = (Vec::new(), 0, None);
        // An empty page counts as a tool, so that the list ends.
        for _ in 0..=MAX_TOOLS {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = self.service.list_tools(Some(params)).await;
            let page =
                page.map_err(|error| format!("cannot list the tools: {}", self.explain(error)))?;
            let new = page.tools.into_iter().map(definition);
            tools.extend(new.inspect(|tool: &Tool| size += size_of(tool)));
            if tools.len() > MAX_TOOLS || size > MAX_DEFINITIONS {
                break;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(format!("it lists more than {MAX_TOOLS} tools or 16 MiB of definitions"))
    }
}

fn definition(tool: rmcp::model::Tool) -> Tool {
    let parameters = Value::Object(tool.input_schema.as_ref().clone());
    Tool {
        name: tool.name.into_owned(),
        description: tool.description.map(|text| text.into_owned()),
        parameters: Some(LazyJson::new(parameters)),
    }
}

fn size_of(tool: &Tool) -> usize {
    let description = tool.description.as_ref().map_or(0, String::len);
    tool.name.len() + description + tool.parameters.as_ref().map_or(0, LazyJson::size)
}

/// Selects the included tools, and gives them names that models accept. Returns each with the name by
/// which the server is called.
fn select(
    tools: Vec<Tool>,
    include: Option<&[String]>,
    prefix: &str,
) -> Result<Vec<(Tool, String)>, String> {
    let is_listed = |name: &&String| tools.iter().any(|tool| tool.name == **name);
    if let Some(missing) = include.into_iter().flatten().find(|name| !is_listed(name)) {
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        return Err(format!("there is no tool {missing:?}; it has: {}", names.join(", ")));
    }
    let is_included = |tool: &Tool| include.is_none_or(|included| included.contains(&tool.name));
    let selected = tools.into_iter().filter(is_included).map(|tool| {
        let name = valid_name(prefix, &tool.name);
        (Tool { name, ..tool.clone() }, tool.name)
    });
    Ok(selected.collect())
}

/// Returns a name with a prefix, and with `_` instead of characters that models do not accept.
fn valid_name(prefix: &str, name: &str) -> String {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let name = name.chars().map(|char| if is_allowed(char) { char } else { '_' });
    prefix.chars().chain(name).take(MAX_NAME_LEN).collect()
}

/// A result and the output that is made of it.
const COPIES: usize = 2;
/// Memory for a JSON value in a list or an object.
const VALUE: usize = 64;

/// A tool of an MCP server.
#[derive(Debug)]
struct McpTool {
    link: Arc<Link>,
    /// The name by which the server is called.
    name: String,
}

impl McpTool {
    /// Calls the tool. Dropping the future notifies the server that the call is cancelled.
    async fn call(&self, arguments: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let memory = context.memory();
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
        async move { self.call(arguments, &context).await }.boxed()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_valid() {
        assert_eq!(valid_name("", "read_file-2"), "read_file-2");
        assert_eq!(valid_name("files_", "fs.read/é"), "files_fs_read__");
        assert_eq!(valid_name("a", &"b".repeat(70)), format!("a{}", "b".repeat(63)));
    }
}
