//! Request bodies of gRPC calls, complete message by complete message.

use std::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::BoxError;
use bytes::{Bytes, BytesMut};
use futures_util::{FutureExt, future::BoxFuture};
use hyper::body::{Body, Frame, SizeHint};
use tonic::Status;

use super::framing::Framing;
use crate::{
    base::{clock, memory::MemoryExhausted, timeouts::BODY_TIMEOUT},
    net::RequestBody,
    wire::error::Error,
};

/// tonic copies a message, and the buffer here may be twice as long as its content.
const COPIES: usize = 3;

/// A body that passes on whole messages only, because tonic reserves memory for a message as soon as
/// it knows the length. Fails if a message is not complete in time, or the memory is exhausted.
pub(crate) struct CallBody {
    body: RequestBody,
    framing: Framing,
    /// What has arrived of a message that is not complete.
    buffer: BytesMut,
    /// The frame after the buffered messages.
    trailers: Option<Frame<Bytes>>,
    /// The wait for memory.
    growth: Option<BoxFuture<'static, Result<(), MemoryExhausted>>>,
    /// Runs while the client has not sent the whole body. Most bodies never wait.
    timeout: Option<BoxFuture<'static, ()>>,
    kind: CallKind,
}

/// How many messages a call takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// One message, and the body must end in time.
    OneMessage,
    /// Any number of messages. Each must be complete in time after its first byte.
    ManyMessages,
}

impl CallBody {
    pub(crate) fn new(body: RequestBody, kind: CallKind, max_message_size: usize) -> Self {
        Self {
            body,
            framing: Framing::new(max_message_size),
            buffer: BytesMut::new(),
            trailers: None,
            growth: None,
            timeout: None,
            kind,
        }
    }

    /// Takes a piece of the body. Returns the data to pass on, if there is any.
    fn receive(&mut self, data: Bytes) -> Option<Bytes> {
        let is_first = self.buffer.is_empty();
        self.framing.advance(&data);
        let is_whole = self.framing.is_whole();
        if is_first && self.kind == CallKind::ManyMessages {
            self.body.call().charge().clear();
        }
        let bytes = data.len() * COPIES;
        let charge = self.body.call().charge();
        if !charge.try_grow(bytes) {
            let charge = charge.clone();
            self.growth = Some(async move { charge.grow(bytes).await }.boxed());
        }
        if is_first && is_whole && self.growth.is_none() {
            return Some(data);
        }
        self.buffer.extend_from_slice(&data);
        None
    }

    fn take_buffer(&mut self) -> Option<Frame<Bytes>> {
        if self.kind == CallKind::ManyMessages {
            self.timeout = None;
        }
        let buffer = mem::take(&mut self.buffer);
        (!buffer.is_empty()).then(|| Frame::data(buffer.freeze()))
    }

    fn poll_growth(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if let Some(growth) = &mut self.growth {
            let grown = ready!(growth.poll_unpin(cx));
            self.growth = None;
            grown.map_err(status)?;
        }
        Poll::Ready(Ok(()))
    }

    /// Fails if the client has had enough time.
    fn poll_timeout(&mut self, cx: &mut Context<'_>) -> Poll<BoxError> {
        if self.kind == CallKind::ManyMessages && self.buffer.is_empty() {
            return Poll::Pending;
        }
        let timeout = self.timeout.get_or_insert_with(|| clock::pause(BODY_TIMEOUT).boxed());
        timeout.poll_unpin(cx).map(|()| status(Error::BodyTimeout))
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Frame<Bytes>>, BoxError>> {
        loop {
            ready!(self.poll_growth(cx))?;
            if self.framing.is_whole()
                && let Some(messages) = self.take_buffer()
            {
                return Poll::Ready(Ok(Some(messages)));
            }
            if let Some(trailers) = self.trailers.take() {
                return Poll::Ready(Ok(Some(trailers)));
            }
            let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) else {
                return self.poll_timeout(cx).map(Err);
            };
            match frame.transpose()?.map(Frame::into_data) {
                Some(Ok(data)) => {
                    if let Some(data) = self.receive(data) {
                        return Poll::Ready(Ok(Some(Frame::data(data))));
                    }
                }
                Some(Err(trailers)) => {
                    self.framing.end();
                    self.trailers = Some(trailers);
                }
                // tonic explains what is wrong with an incomplete message.
                None => return Poll::Ready(Ok(self.take_buffer())),
            }
        }
    }
}

/// tonic takes the status from the sources of an error.
fn status(error: impl Into<Error>) -> BoxError {
    Status::from(error.into()).into()
}

impl Body for CallBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.poll_next(cx).map(Result::transpose)
    }

    fn is_end_stream(&self) -> bool {
        self.buffer.is_empty() && self.trailers.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
