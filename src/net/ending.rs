//! Responses that break off on purpose, and connections that are reset on purpose.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use hyper::body::Frame;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{activity::Activity, stream::Io};
use crate::base::ending::Ending;

static HEADER: HeaderName = HeaderName::from_static(Ending::HEADER);

/// The error with which a response breaks off.
#[derive(Debug, thiserror::Error)]
#[error("the response breaks off on purpose")]
pub(super) struct BrokenOff;

/// A stream that is reset instead of being closed if the connection breaks off.
pub(super) struct Resettable<S: Io> {
    stream: S,
    activity: Arc<Activity>,
}

/// Returns the frame that ends a response in this way.
pub(crate) fn last_frame(ending: Ending) -> Frame<Bytes> {
    let value = HeaderValue::from_static(ending.as_str());
    Frame::trailers(HeaderMap::from_iter([(HEADER.clone(), value)]))
}

/// Removes the trailer that selects how the response ends.
pub(super) fn take_ending(frame: &mut Frame<Bytes>) -> Ending {
    // Trailers are few, so comparing them costs less than hashing the name.
    let trailers = frame.trailers_mut().filter(|it| it.keys().any(|name| *name == HEADER));
    let value = trailers.and_then(|trailers| trailers.remove(&HEADER));
    let Some(value) = value else { return Ending::Trailers };
    let early = [Ending::BreakOff, Ending::Reset];
    early.into_iter().find(|ending| value == ending.as_str()).unwrap_or(Ending::Trailers)
}

impl<S: Io> Resettable<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self { stream, activity }
    }
}

impl<S: Io> Drop for Resettable<S> {
    fn drop(&mut self) {
        if self.activity.is_reset() {
            self.stream.reset_on_close();
        }
    }
}

impl<S: Io> AsyncRead for Resettable<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: Io> AsyncWrite for Resettable<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.activity.is_reset() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.activity.is_reset() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.activity.is_reset() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
