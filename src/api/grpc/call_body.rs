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

/// A flag for compression and the length of the message.
const PREFIX: usize = 5;

/// Follows the data of a body from message to message.
#[derive(Debug)]
struct Framing {
    max_message_size: usize,
    /// The part of the current prefix that has arrived.
    prefix: [u8; PREFIX],
    prefix_len: usize,
    /// Bytes of the current message that have not arrived.
    missing: usize,
    /// Whether no complete message follows.
    is_over: bool,
}

impl Framing {
    pub(super) fn new(max_message_size: usize) -> Self {
        Self { max_message_size, prefix: [0; PREFIX], prefix_len: 0, missing: 0, is_over: false }
    }

    /// Takes the next data of the body.
    fn advance(&mut self, mut data: &[u8]) {
        while !data.is_empty() && !self.is_over {
            let in_message = self.missing.min(data.len());
            self.missing -= in_message;
            data = &data[in_message..];
            let in_prefix = (PREFIX - self.prefix_len).min(data.len());
            self.prefix[self.prefix_len..][..in_prefix].copy_from_slice(&data[..in_prefix]);
            self.prefix_len += in_prefix;
            data = &data[in_prefix..];
            if self.prefix_len == PREFIX {
                self.start_message();
            }
        }
    }

    fn start_message(&mut self) {
        let [_, length @ ..] = self.prefix;
        let length = u32::from_be_bytes(length) as usize;
        // A message that is too large is rejected because of its prefix.
        self.is_over = length > self.max_message_size;
        self.prefix_len = 0;
        self.missing = length;
    }

    /// Notes that the body ends here.
    fn end(&mut self) {
        self.is_over = true;
    }

    /// Whether no message has arrived in part, or it does not need to arrive completely.
    fn is_whole(&self) -> bool {
        self.is_over || (self.missing == 0 && self.prefix_len == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns after which bytes the data received so far is whole.
    fn boundaries(data: &[u8], max_message_size: usize) -> Vec<usize> {
        let mut framing = Framing::new(max_message_size);
        let mut whole = Vec::new();
        for (at, byte) in data.iter().enumerate() {
            framing.advance(&[*byte]);
            if framing.is_whole() {
                whole.push(at + 1);
            }
        }
        whole
    }

    #[test]
    fn is_whole_after_each_message() {
        let data = [0, 0, 0, 0, 2, 7, 7, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 7];
        assert_eq!(boundaries(&data, 10), [7, 12, 18]);
        let mut framing = Framing::new(10);
        framing.advance(&data);
        assert!(framing.is_whole());
        framing.advance(&data[..6]);
        assert!(!framing.is_whole());
    }

    #[test]
    fn does_not_wait_for_messages_that_are_rejected() {
        assert_eq!(boundaries(&[0, 0, 0, 0, 2, 7], 1), [5, 6]);
        let mut framing = Framing::new(1);
        framing.advance(&[0, 0]);
        framing.end();
        assert!(framing.is_whole());
    }
}
