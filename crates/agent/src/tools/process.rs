//! Programs: a child process, its log, and the tool that runs a command. The command receives the arguments as
//! JSON on standard input and writes the result to standard output.

use std::{
    io,
    pin::pin,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{Either, select},
};
use mynah_core::base::{clock::within, text::strip_line_break};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::AbortOnDropHandle,
};

use super::value::{Argv, MAX_OUTPUT};
use crate::tool_loop::{RunTool, ToolContext, ToolError, ToolFuture};

/// Maximum size of an error text in bytes. The end of the text is kept because it usually contains
/// the reason.
pub(super) const MAX_ERROR_TEXT: usize = 1024;
const READ_BUFFER: usize = 16 * 1024;
/// Time to read the remaining output after a command has exited.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

/// A running command, in its own process group.
///
/// When the command exits or this value is dropped, the whole group is killed. The group includes
/// background processes, which would otherwise keep the output open. The command inherits the
/// working directory and the environment of this process.
#[derive(Debug)]
pub struct Process {
    child: Child,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

/// The result of a command.
#[derive(Debug)]
struct ProcessOutput {
    status: ExitStatus,
    stdout: Vec<u8>,
    /// The last [`MAX_ERROR_TEXT`] bytes of standard error.
    stderr: Vec<u8>,
}

impl Process {
    /// Starts a program. It is killed when the value is dropped.
    pub fn start(argv: &Argv) -> io::Result<Self> {
        let mut command = Command::new(&argv.program);
        command.args(&argv.arguments).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn()?;
        #[cfg(unix)]
        let group = child.id().and_then(|id| rustix::process::Pid::from_raw(id.try_into().ok()?));
        Ok(Self {
            child,
            #[cfg(unix)]
            group,
        })
    }

    /// Returns standard input, output and error of the command. Fails if they are taken.
    pub fn take_pipes(&mut self) -> io::Result<(ChildStdin, ChildStdout, ChildStderr)> {
        let Child { stdin, stdout, stderr, .. } = &mut self.child;
        let pipes = stdin.take().zip(stdout.take()).zip(stderr.take());
        let ((stdin, stdout), stderr) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((stdin, stdout, stderr))
    }

    /// Writes the input, collects the output and waits for the command to exit. A command that
    /// writes more than [`MAX_OUTPUT`] bytes is killed.
    async fn output(mut self, input: String) -> Result<ProcessOutput, ToolError> {
        let (stdin, out, err) = self.take_pipes()?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let transfer = async {
            tokio::try_join!(
                write_input(stdin, &input),
                read_all(out, &mut stdout),
                read_last(err, &mut stderr)
            )
        };
        let status = match select(pin!(transfer), pin!(self.wait())).await {
            Either::Left((transferred, exit)) => {
                transferred?;
                exit.await?
            }
            Either::Right((status, transfer)) => {
                // A daemon that has left the process group may keep the pipes open forever.
                within(DRAIN_TIMEOUT, transfer).await.transpose()?;
                status?
            }
        };
        Ok(ProcessOutput { status, stdout, stderr })
    }

    /// Waits for the command to exit, then kills the rest of its process group.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        self.kill_group();
        status
    }

    #[cfg(unix)]
    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            // Ignore errors: the group is usually empty.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill_group(&mut self) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// Returns how a program ended.
pub fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it ended with exit status {code}"),
        None => format!("it was terminated by {status}").replace("signal: ", "signal "),
    }
}

/// Writes the input. Ignores write errors, because a command need not read its input.
async fn write_input(mut stdin: ChildStdin, input: &str) -> Result<(), ToolError> {
    let _ = stdin.write_all(input.as_bytes()).await;
    Ok(())
}

/// Reads to the end of a stream. Fails if the stream is longer than [`MAX_OUTPUT`].
async fn read_all(source: ChildStdout, bytes: &mut Vec<u8>) -> Result<(), ToolError> {
    source.take(MAX_OUTPUT as u64 + 1).read_to_end(bytes).await?;
    if bytes.len() > MAX_OUTPUT {
        return Err(ToolError::new("the output is longer than 16 MiB"));
    }
    Ok(())
}

/// Reads to the end of a stream and keeps the last [`MAX_ERROR_TEXT`] bytes.
async fn read_last(mut source: ChildStderr, bytes: &mut Vec<u8>) -> Result<(), ToolError> {
    bytes.reserve(READ_BUFFER);
    while source.read_buf(bytes).await? > 0 {
        bytes.drain(..bytes.len().saturating_sub(MAX_ERROR_TEXT));
    }
    Ok(())
}

#[derive(Debug)]
pub(super) struct CommandTool(pub(super) Argv);

impl RunTool for CommandTool {
    /// Runs the command and returns its output without the trailing line break.
    fn run(&self, arguments: Value, _: ToolContext) -> ToolFuture<'_> {
        async move {
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
            Ok(strip_line_break(text).into())
        }
        .boxed()
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

/// Copies the log of a program to mynah's log.
#[derive(Debug)]
pub struct StderrLog {
    last_line: Arc<Mutex<String>>,
    end: CancellationToken,
    _copying: AbortOnDropHandle<()>,
}

impl StderrLog {
    /// Starts to copy in a task of the current runtime.
    pub fn copy(source: impl AsyncRead + Send + Unpin + 'static, program: String) -> Self {
        let (last_line, end) = (Arc::<Mutex<String>>::default(), CancellationToken::new());
        let copying = copy(source, program, last_line.clone(), end.clone().drop_guard());
        Self { last_line, end, _copying: AbortOnDropHandle::new(tokio::spawn(copying)) }
    }

    /// Waits at most `limit` for the end of the log. Returns its last line.
    pub async fn last_line(&self, limit: Duration) -> String {
        within(limit, self.end.cancelled()).await;
        self.last_line.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn copy(
    source: impl AsyncRead + Unpin,
    program: String,
    last_line: Arc<Mutex<String>>,
    _end: DropGuard,
) {
    let mut source = BufReader::new(source);
    let mut line = Vec::new();
    loop {
        let available = source.fill_buf().await.unwrap_or_default();
        if available.is_empty() {
            break report(&mut line, &program, &last_line);
        }
        let newline = memchr::memchr(b'\n', available);
        let end = newline.unwrap_or(available.len());
        // The rest of a long line is dropped.
        let kept = end.min(MAX_ERROR_TEXT - line.len());
        line.extend_from_slice(&available[..kept]);
        let consumed = end + usize::from(newline.is_some());
        source.consume(consumed);
        if newline.is_some() {
            report(&mut line, &program, &last_line);
        }
    }
}

fn report(line: &mut Vec<u8>, program: &str, last_line: &Mutex<String>) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    if !text.is_empty() {
        tracing::debug!(server = program, "{text}");
        text.clone_into(&mut last_line.lock().unwrap_or_else(PoisonError::into_inner));
    }
    line.clear();
}
