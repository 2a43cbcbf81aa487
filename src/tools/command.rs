//! A tool that is a command: its arguments come as JSON on standard input, its result goes to
//! standard output.

use std::process::ExitStatus;

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;

use super::{
    process::{MAX_WORDS, Output, Process},
    value::Argv,
};
use crate::{
    base::terminal::without_line_break,
    tool_loop::{RunTool, ToolError},
};

#[derive(Debug)]
pub(super) struct CommandTool(Argv);

impl CommandTool {
    pub(super) fn new(argv: Argv) -> Self {
        Self(argv)
    }

    /// The text that the command writes, without the line break at its end.
    async fn result(&self, arguments: &Value) -> Result<String, ToolError> {
        let process = Process::start(&self.0).map_err(|error| {
            ToolError::new(format_args!("cannot run {}: {error}", self.0.program))
        })?;
        let Output { status, stdout, stderr } = process.output(format!("{arguments}\n")).await?;
        if !status.success() {
            return Err(failure(status, &stderr, &stdout));
        }
        let text = String::from_utf8(stdout).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            ToolError::new(format_args!("the output is not UTF-8 after {at} bytes"))
        })?;
        Ok(without_line_break(text))
    }
}

impl RunTool for CommandTool {
    fn run(&self, arguments: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        async move { self.result(&arguments).await.map(Value::String) }.boxed()
    }
}

/// How it ended, and the last that it wrote: to standard error, or else to standard output.
fn failure(status: ExitStatus, stderr: &[u8], stdout: &[u8]) -> ToolError {
    let how = match status.code() {
        Some(code) => format!("exit status {code}"),
        None => format!("ended by {status}").replace("signal: ", "signal "),
    };
    let words = [stderr, stdout].map(end);
    ToolError::new(match words.iter().find(|words| !words.is_empty()) {
        Some(words) => format!("{how}: {words}"),
        None => how,
    })
}

fn end(output: &[u8]) -> String {
    let start = output.len().saturating_sub(MAX_WORDS);
    String::from_utf8_lossy(&output[start..]).trim().to_owned()
}
