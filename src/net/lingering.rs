//! Closes connections without losing the end of the response.

use std::{
    io, mem,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};

use crate::base::clock;

/// Time without data from the client after which a closed connection is dropped.
const MAX_SILENCE: Duration = Duration::from_secs(1);
/// Maximum time from closing a connection to dropping it.
const MAX_LINGER: Duration = Duration::from_secs(10);

/// A stream that, after the last response, discards what the client still sends. Otherwise the
/// system would reset the connection, and a client that sends a body which is not read, such as one
/// over the size limit, could lose the response.
pub(super) enum Lingering<S> {
    Open(S),
    Closing(BoxFuture<'static, io::Result<()>>),
}

impl<S> Lingering<S> {
    pub(super) fn new(stream: S) -> Self {
        Self::Open(stream)
    }
}

/// Closes the sending direction and reads until the client does the same.
async fn close(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
    stream.shutdown().await?;
    let discard = async {
        let mut buffer = [0; 8 * 1024];
        while let Some(Ok(1..)) = clock::within(MAX_SILENCE, stream.read(&mut buffer)).await {}
    };
    clock::within(MAX_LINGER, discard).await;
    Ok(())
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Open(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Closing(_) => Poll::Ready(Ok(())),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Open(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Closing(_) => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Open(stream) => Pin::new(stream).poll_write_vectored(cx, bytes),
            Self::Closing(_) => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn is_write_vectored(&self) -> bool {
        matches!(self, Self::Open(stream) if stream.is_write_vectored())
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Open(stream) => Pin::new(stream).poll_flush(cx),
            Self::Closing(_) => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Self::Closing(close) = &mut *self {
            return close.poll_unpin(cx);
        }
        if let Self::Open(stream) = mem::replace(&mut *self, Self::Closing(done())) {
            *self = Self::Closing(close(stream).boxed());
        }
        self.poll_shutdown(cx)
    }
}

fn done() -> BoxFuture<'static, io::Result<()>> {
    future::ready(Ok(())).boxed()
}
