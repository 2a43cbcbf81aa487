//! The stream of a connection, TCP or Unix, as HTTP reads and writes it.

use std::{
    io, mem,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};
#[cfg(not(unix))]
use tokio::net::TcpStream as UnixStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf, Take},
    net::TcpStream,
    task::yield_now,
};
use tokio_util::either::Either;

use super::call::Activity;
use crate::base::clock::{self, Moment};

/// Maximum number of bytes that are read at once.
const STEP: u64 = 4 * 1024;
/// Time after which a connection yields between two steps.
const TURN: Duration = Duration::from_micros(250);
/// Time without data from the client after which a closed connection is dropped.
const MAX_SILENCE: Duration = Duration::from_secs(1);
/// Maximum time from closing a connection to dropping it.
const MAX_LINGER: Duration = Duration::from_secs(10);

/// The stream of a connection. In addition to what a socket does,
///
/// - it yields to other tasks if processing what it has received takes long. HTTP/2 has frames that
///   are cheap to send and expensive to process: with a thousand open streams, a step of SETTINGS
///   frames takes two milliseconds, and h2 continues as long as there is anything to read.
/// - it discards what the client still sends after the last response. Otherwise the system would
///   reset the connection, and a client that sends a body which is not read, such as one over the
///   size limit, could lose the response.
/// - it resets the connection instead of closing it if a call is to end so.
pub(super) struct Transport {
    state: State,
    /// The start of the turn, or the end of its first step. Most turns are shorter than a step.
    turn: Option<Moment>,
    activity: Arc<Activity>,
}

enum State {
    Open(Take<Registered>),
    Closing(BoxFuture<'static, io::Result<()>>),
}

impl Transport {
    pub(super) fn new(stream: Registered, activity: Arc<Activity>) -> Self {
        Self { state: State::Open(stream.take(STEP)), turn: None, activity }
    }

    /// Returns the stream for writing.
    fn writer(&mut self) -> io::Result<Pin<&mut Registered>> {
        match &mut self.state {
            _ if self.activity.is_reset() => Err(io::ErrorKind::ConnectionReset.into()),
            State::Open(stream) => Ok(Pin::new(stream.get_mut())),
            State::Closing(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

/// Closes the sending direction and reads until the client does the same.
async fn close(mut stream: Registered) -> io::Result<()> {
    stream.shutdown().await?;
    let discard = async {
        let mut buffer = [0; 8 * 1024];
        while let Some(Ok(1..)) = clock::within(MAX_SILENCE, stream.read(&mut buffer)).await {}
    };
    clock::within(MAX_LINGER, discard).await;
    Ok(())
}

impl Drop for Transport {
    fn drop(&mut self) {
        if let State::Open(stream) = &self.state
            && self.activity.is_reset()
        {
            reset_on_close(stream.get_ref());
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { state: State::Open(stream), turn, activity } = &mut *self else {
            return Poll::Ready(Ok(()));
        };
        if stream.limit() == 0 {
            if turn.take_if(|start| start.age() >= TURN).is_some() {
                // Wakes the task after the runtime has looked for events of other connections.
                return pin!(yield_now()).poll(cx).map(Ok);
            }
            turn.get_or_insert_with(Moment::now);
            stream.set_limit(STEP);
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut *stream).poll_read(cx, buffer);
        if read.is_pending() {
            stream.set_limit(STEP);
            *turn = None;
        } else {
            activity.received(&buffer.filled()[before..]);
        }
        read
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.writer()?.poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.writer()?.poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        matches!(&self.state, State::Open(stream) if stream.get_ref().is_write_vectored())
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.state {
            State::Open(stream) => Pin::new(stream.get_mut()).poll_flush(cx),
            State::Closing(_) => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.activity.is_reset() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let done = State::Closing(future::ready(Ok(())).boxed());
        let mut closing = match mem::replace(&mut self.state, done) {
            State::Open(stream) => close(stream.into_inner()).boxed(),
            State::Closing(closing) => closing,
        };
        let closed = closing.poll_unpin(cx);
        if closed.is_pending() {
            self.state = State::Closing(closing);
        }
        closed
    }
}

/// An accepted connection, not yet registered with a runtime.
pub(super) enum Stream {
    Tcp(std::net::TcpStream),
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixStream),
}

/// A TCP or Unix stream that is registered with the current runtime.
pub(super) type Registered = Either<TcpStream, UnixStream>;

impl Stream {
    /// Registers the connection with the current runtime.
    pub(super) fn register(self) -> io::Result<Registered> {
        Ok(match self {
            Self::Tcp(stream) => {
                let stream = TcpStream::from_std(stream)?;
                stream.set_nodelay(true)?;
                Either::Left(stream)
            }
            #[cfg(unix)]
            Self::Unix(stream) => Either::Right(UnixStream::from_std(stream)?),
        })
    }
}

/// Waits until a stream can be read.
pub(super) async fn readable(stream: &Registered) -> io::Result<()> {
    match stream {
        Either::Left(stream) => stream.readable().await,
        Either::Right(stream) => stream.readable().await,
    }
}

/// Returns the IP address of the client. Clients of Unix sockets have none.
pub(super) fn client(stream: &Registered) -> io::Result<Option<IpAddr>> {
    match stream {
        Either::Left(stream) => Ok(Some(stream.peer_addr()?.ip().to_canonical())),
        Either::Right(_) => Ok(None),
    }
}

/// Makes a stream reset its connection when it is dropped, if it can.
fn reset_on_close(stream: &Registered) {
    if let Either::Left(stream) = stream {
        // Fails only if the connection is closed already.
        let _ = stream.set_zero_linger();
    }
}
