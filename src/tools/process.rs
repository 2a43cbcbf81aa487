//! The process of a command, with all that it starts.

use std::{
    io,
    process::{ExitStatus, Stdio},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

use super::value::{Argv, MAX_OUTPUT};
use crate::tool_loop::ToolError;

/// Most bytes that are kept of standard error: the last ones, where the reason stands.
const MAX_WORDS: usize = 1024;
const BUFFER: usize = 16 * 1024;

/// A command that runs, in a process group of its own.
///
/// Its end, and dropping it, kill the whole group: what it has left behind in the background, too,
/// which would else hold its output open. It runs where this process does, with its environment.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

/// What a command has left behind.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    /// The end of it.
    pub(super) stderr: Vec<u8>,
}

impl Process {
    pub(super) fn start(argv: &Argv) -> io::Result<Self> {
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

    /// Writes the input and waits for the end, which more output than is kept brings about.
    pub(super) async fn output(mut self, input: String) -> Result<Output, ToolError> {
        let (stdin, stdout, stderr) =
            (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take());
        let fed = async {
            if let Some(mut stdin) = stdin {
                // A command need not read what it is given.
                let _ = stdin.write_all(input.as_bytes()).await;
            }
            Ok(())
        };
        let ended = async {
            let status = self.child.wait().await;
            self.end_group();
            Ok(status?)
        };
        let ((), stdout, stderr, status) = tokio::try_join!(fed, all(stdout), last(stderr), ended)?;
        Ok(Output { status, stdout, stderr })
    }

    #[cfg(unix)]
    fn end_group(&mut self) {
        if let Some(group) = self.group.take() {
            // Mostly there is nobody left in it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn end_group(&mut self) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end_group();
    }
}

/// All of the output, which must have an end.
async fn all(source: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, ToolError> {
    let mut bytes = Vec::new();
    if let Some(source) = source {
        source.take(MAX_OUTPUT as u64 + 1).read_to_end(&mut bytes).await?;
    }
    if bytes.len() > MAX_OUTPUT {
        return Err(ToolError::new("the output is longer than 16 MiB"));
    }
    Ok(bytes)
}

/// The end of what there is.
async fn last(source: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, ToolError> {
    let mut bytes = Vec::with_capacity(BUFFER);
    if let Some(mut source) = source {
        while source.read_buf(&mut bytes).await? > 0 {
            bytes.drain(..bytes.len().saturating_sub(MAX_WORDS));
        }
    }
    Ok(bytes)
}
