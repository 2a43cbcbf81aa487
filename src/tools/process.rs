//! The process of a command, with all that it starts.

use std::{
    io,
    pin::pin,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use futures_util::future::{Either, select};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    process::{Child, Command},
};

use super::value::{Argv, MAX_OUTPUT};
use crate::{base::clock::within, tool_loop::ToolError};

/// Most bytes that are told of a failure: the last ones, where the reason stands.
pub(super) const MAX_WORDS: usize = 1024;
const BUFFER: usize = 16 * 1024;
/// Time to read what a command has written before its end.
const REST: Duration = Duration::from_millis(100);

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
        let Child { stdin, stdout: out, stderr: err, .. } = &mut self.child;
        let (stdin, out, err) = (stdin.take(), out.take(), err.take());
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let talk = async {
            tokio::try_join!(feed(stdin, &input), all(out, &mut stdout), last(err, &mut stderr))
        };
        let status = match select(pin!(talk), pin!(self.end())).await {
            Either::Left((talked, end)) => {
                talked?;
                end.await?
            }
            Either::Right((status, talk)) => {
                // What has left the group may hold the pipes open for ever.
                within(REST, talk).await.transpose()?;
                status?
            }
        };
        Ok(Output { status, stdout, stderr })
    }

    /// Waits for the end of the command, and ends what it has left in its group.
    async fn end(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        self.end_group();
        status
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

/// Writes the input, which a command need not read.
async fn feed(stdin: Option<impl AsyncWrite + Unpin>, input: &str) -> Result<(), ToolError> {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    Ok(())
}

/// All of the output, which must have an end.
async fn all(source: Option<impl AsyncRead + Unpin>, bytes: &mut Vec<u8>) -> Result<(), ToolError> {
    if let Some(source) = source {
        source.take(MAX_OUTPUT as u64 + 1).read_to_end(bytes).await?;
    }
    if bytes.len() > MAX_OUTPUT {
        return Err(ToolError::new("the output is longer than 16 MiB"));
    }
    Ok(())
}

/// The end of what there is.
async fn last(
    source: Option<impl AsyncRead + Unpin>,
    bytes: &mut Vec<u8>,
) -> Result<(), ToolError> {
    bytes.reserve(BUFFER);
    if let Some(mut source) = source {
        while source.read_buf(bytes).await? > 0 {
            bytes.drain(..bytes.len().saturating_sub(MAX_WORDS));
        }
    }
    Ok(())
}
