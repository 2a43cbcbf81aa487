//! Runs a command as a child process.

use std::{
    io,
    pin::pin,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use futures_util::future::{Either, select};
use mynah_core::base::clock::within;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use super::value::{Argv, MAX_OUTPUT};
use crate::tool_loop::ToolError;

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
pub(super) struct ProcessOutput {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    /// The last [`MAX_ERROR_TEXT`] bytes of standard error.
    pub(super) stderr: Vec<u8>,
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
    pub(super) async fn output(mut self, input: String) -> Result<ProcessOutput, ToolError> {
        let Child { stdin, stdout: out, stderr: err, .. } = &mut self.child;
        let (stdin, out, err) = (stdin.take(), out.take(), err.take());
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
async fn write_input(stdin: Option<impl AsyncWrite + Unpin>, input: &str) -> Result<(), ToolError> {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    Ok(())
}

/// Reads to the end of a stream. Fails if the stream is longer than [`MAX_OUTPUT`].
async fn read_all(
    source: Option<impl AsyncRead + Unpin>,
    bytes: &mut Vec<u8>,
) -> Result<(), ToolError> {
    if let Some(source) = source {
        source.take(MAX_OUTPUT as u64 + 1).read_to_end(bytes).await?;
    }
    if bytes.len() > MAX_OUTPUT {
        return Err(ToolError::new("the output is longer than 16 MiB"));
    }
    Ok(())
}

/// Reads to the end of a stream and keeps the last [`MAX_ERROR_TEXT`] bytes.
async fn read_last(
    source: Option<impl AsyncRead + Unpin>,
    bytes: &mut Vec<u8>,
) -> Result<(), ToolError> {
    bytes.reserve(READ_BUFFER);
    if let Some(mut source) = source {
        while source.read_buf(bytes).await? > 0 {
            bytes.drain(..bytes.len().saturating_sub(MAX_ERROR_TEXT));
        }
    }
    Ok(())
}
