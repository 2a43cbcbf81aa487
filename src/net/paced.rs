//! Shares a thread fairly between connections.

use std::{
    io,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf, Take},
    task::yield_now,
};

use crate::base::clock::Moment;

/// Maximum number of bytes that are read at once.
const STEP: u64 = 4 * 1024;
/// Time after which a connection yields between two steps.
const TURN: Duration = Duration::from_micros(250);

/// A stream that yields to other tasks if processing what it has received takes long.
///
/// HTTP/2 has frames that are cheap to send and expensive to process: with a thousand open streams,
/// a step of SETTINGS frames takes two milliseconds. h2 goes on as long as there is anything to read.
pub(super) struct Paced<S> {
    stream: Take<S>,
    /// The start of the turn, or the end of its first step. Most turns are shorter than a step.
    turn: Option<Moment>,
}

impl<S: AsyncRead> Paced<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream: stream.take(STEP), turn: None }
    }

    /// Starts another step. Returns `false` if the turn is over.
    fn step(&mut self) -> bool {
        if self.turn.take_if(|start| start.age() >= TURN).is_some() {
            return false;
        }
        self.turn.get_or_insert_with(Moment::now);
        self.stream.set_limit(STEP);
        true
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.stream.limit() == 0 && !self.step() {
            // Wakes the task after the runtime has looked for events of other connections.
            return pin!(yield_now()).poll(cx).map(Ok);
        }
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if read.is_pending() {
            self.stream.set_limit(STEP);
            self.turn = None;
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
        Pin::new(self.stream.get_mut()).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.stream.get_mut()).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.get_ref().is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_shutdown(cx)
    }
}
