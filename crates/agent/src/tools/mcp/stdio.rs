//! A server that is a child process.

use std::{
    future::Future,
    io,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll, ready},
    time::Duration,
};

use mynah_core::base::clock::within;
use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use tokio::{
    io::{AsyncRead, ReadBuf},
    process::{ChildStdin, ChildStdout},
};
use tokio_util::sync::CancellationToken;

use crate::tools::{
    process::{Process, StderrLog, describe},
    value::{Argv, MAX_OUTPUT},
};

/// Time in which a server must read a message.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for a server to exit after its standard input or output is closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// The reason why a connection has ended. Empty while it is open.
pub(super) type Ending = Arc<OnceLock<String>>;

/// A child process that speaks MCP on standard input and output. It is killed on drop.
pub(super) struct StdioTransport {
    messages: AsyncRwTransport<RoleClient, LimitedLines<ChildStdout>, ChildStdin>,
    process: Process,
    log: StderrLog,
    pub(super) ending: Ending,
    /// Cancelled if the server does not read its input.
    broken_pipe: CancellationToken,
}

impl StdioTransport {
    /// Starts a server.
    pub(super) fn start(argv: &Argv) -> io::Result<Self> {
        let mut process = Process::start(argv)?;
        let (stdin, stdout, stderr) = process.take_pipes()?;
        let ending = Ending::default();
        let stdout = LimitedLines { source: stdout, line: 0, ending: ending.clone() };
        // The lines are limited already.
        let messages = AsyncRwTransport::new(stdout, stdin).with_max_line_length(usize::MAX);
        let log = StderrLog::copy(stderr, argv.program.clone());
        let broken_pipe = CancellationToken::new();
        Ok(Self { messages, process, log, ending, broken_pipe })
    }

    /// Finds out why there are no more messages, unless this is known.
    async fn set_ending(&mut self) {
        if self.ending.get().is_some() {
            return;
        }
        let mut reason = match within(EXIT_TIMEOUT, self.process.wait()).await {
            Some(Ok(status)) => describe(status),
            _ if self.broken_pipe.is_cancelled() => "it does not read its input".to_owned(),
            _ => "it closed its output".to_owned(),
        };
        let line = self.log.last_line(EXIT_TIMEOUT).await;
        if !line.is_empty() {
            reason += &format!(": {line}");
        }
        // Ignore the error: a reason that is already set is the cause of this one.
        let _ = self.ending.set(reason);
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    /// Always succeeds. If the server does not read the message, [`receive`](Self::receive) ends,
    /// because the reason is known only there.
    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (sending, broken_pipe) = (self.messages.send(message), self.broken_pipe.clone());
        async move {
            if !matches!(within(WRITE_TIMEOUT, sending).await, Some(Ok(()))) {
                broken_pipe.cancel();
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = tokio::select! {
            biased;
            message = self.messages.receive() => message,
            () = self.broken_pipe.cancelled() => None,
        };
        if message.is_none() {
            self.set_ending().await;
        }
        message
    }

    /// Closes the server's standard input, so that it can exit.
    async fn close(&mut self) -> io::Result<()> {
        let closing = async {
            self.messages.close().await?;
            self.process.wait().await.map(drop)
        };
        within(EXIT_TIMEOUT, closing).await.unwrap_or(Ok(()))
    }
}

/// Reads until a line is too long.
struct LimitedLines<R> {
    source: R,
    /// Length of the last line so far.
    line: usize,
    ending: Ending,
}

impl<R: AsyncRead + Unpin> AsyncRead for LimitedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.line > MAX_OUTPUT {
            let _ = self.ending.set("it wrote a message longer than 16 MiB".to_owned());
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.source).poll_read(context, buffer))?;
        let new = &buffer.filled()[before..];
        self.line = match memchr::memrchr(b'\n', new) {
            Some(newline) => new.len() - newline - 1,
            None => self.line + new.len(),
        };
        Poll::Ready(Ok(()))
    }
}
