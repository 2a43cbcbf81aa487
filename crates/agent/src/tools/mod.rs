//! Loads the tools of a [`tool_loop`](crate::tool_loop) from a YAML or JSON file.
//!
//! A tool is a command that receives the arguments of a call as JSON on standard input and writes the
//! result to standard output, makes an HTTP request, or has results that do not change. A file can
//! also add the tools of an MCP server.
//!
//! ```
//! use std::sync::Arc;
//!
//! use mynah_agent::{tool_loop::{LoopSettings, ToolLoop}, tools};
//! use mynah_echo::{Echo, EchoSettings};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = tools::load("../../examples/tools.yaml".as_ref()).await?;
//! let tool_loop = ToolLoop::new(registry, LoopSettings::default())?;
//!
//! let model = Arc::new(Echo::new("echo", EchoSettings::default()));
//! let result = tool_loop.run(model, "What is the weather in Paris?").await;
//! assert_eq!(result.text(), "It is sunny in Paris.");
//! # Ok(())
//! # }
//! ```

// file         the file format, its JSON Schema and how it is recognised
// value        the durations, sizes and commands in a file
// load         converts a file to tools
// http         a tool that makes an HTTP request
// mcp          the tools of an MCP server
// process      programs, their logs, and a tool that runs a command

mod file;
mod http;
mod load;
mod mcp;
mod process;
#[cfg(test)]
mod tests;
mod value;

pub use mynah_core::base::diagnostics::{Diagnostic, Place, Severity};

pub use self::{
    file::{is_tools_file, schema},
    http::{
        Allowed, Body, Header, HttpClient, HttpMethod, Incomplete, References, RequestSource,
        RequestTemplate, Variables, read_body, read_event_data, read_reply, redirected,
    },
    load::{CheckedTools, LoadContext, Programs, check_file, load, load_with},
    process::{Process, StderrLog, describe},
    value::{Argv, Retries, Time},
};
