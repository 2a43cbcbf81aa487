//! A tool that runs a command. The command receives the arguments as JSON on standard input and
//! writes the result to standard output.

use std::process::ExitStatus;

use futures_util::FutureExt;
use mynah_core::base::text::strip_line_break;
use serde_json::Value;

use super::{
    process::{MAX_ERROR_TEXT, Process, ProcessOutput},
    value::Argv,
};
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture, ToolOutput};

#[derive(Debug)]
pub(super) struct CommandTool(Argv);

impl CommandTool {
    pub(super) fn new(argv: Argv) -> Self {
        Self(argv)
    }

    /// Runs the command and returns its output without the trailing line break.
    async fn call(&self, arguments: &Value) -> Result<String, ToolError> {
        let process = Process::start(&self.0).map_err(|error| {
            ToolError::failed(format_args!("cannot run {}: {error}", self.0.program))
        })?;
        let ProcessOutput { status, stdout, stderr } =
            process.output(format!("{arguments}\n")).await?;
        if !status.success() {
            return Err(failure(status, &stderr, &stdout));
        }
        let text = String::from_utf8(stdout).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            ToolError::failed(format_args!("the output is not valid UTF-8 at byte {at}"))
        })?;
        Ok(strip_line_break(text))
    }
}

impl RunTool for CommandTool {
    fn run(&self, arguments: Value, _: ToolContext) -> ToolFuture<'_> {
        async move { self.call(&arguments).await.map(ToolOutput::from) }.boxed()
    }
}

/// Returns an error with the exit status and the end of standard error, or of standard output if
/// standard error is empty.
fn failure(status: ExitStatus, stderr: &[u8], stdout: &[u8]) -> ToolError {
    let reason = match status.code() {
        Some(code) => format!("exit status {code}"),
        None => format!("terminated by {status}").replace("signal: ", "signal "),
    };
    let texts = [stderr, stdout].map(last_text);
    ToolError::new(match texts.iter().find(|text| !text.is_empty()) {
        Some(text) => format!("{reason}: {text}"),
        None => reason,
    })
}

fn last_text(output: &[u8]) -> String {
    let start = output.len().saturating_sub(MAX_ERROR_TEXT);
    String::from_utf8_lossy(&output[start..]).trim().to_owned()
}
