//! Shares a thread fairly between connections.

use std::{
    io,
    pin::{Pin, pin},
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf, Take},
    task::yield_now,
};

/// Number of bytes that are read from a connection before other tasks run.
const TURN: u64 = 8 * 1024;

/// A stream that yields after each [`TURN`] of received bytes.
///
/// HTTP/2 has frames that are cheap to send and expensive to process: with a thousand open streams,
/// those in one turn take milliseconds. h2 would go on as long as there are any.
pub(super) struct Paced<S>(Take<S>);

impl<S: AsyncRead> Paced<S> {
    pub(super) fn new(stream: S) -> Self {
        Self(stream.take(TURN))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = match self.0.limit() {
            // Wakes the task after the runtime has looked for events of other connections.
            0 => pin!(yield_now()).poll(cx).map(Ok),
            _ => Pin::new(&mut self.0).poll_read(cx, buffer),
        };
        if read.is_pending() {
            self.0.set_limit(TURN);
        }
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.0.get_mut()).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.0.get_mut()).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.get_ref().is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.0.get_mut()).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.0.get_mut()).poll_shutdown(cx)
    }
}
