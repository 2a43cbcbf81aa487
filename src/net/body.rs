//! The bodies of requests and of responses.

use std::{
    error::Error,
    mem,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use thiserror::Error as ThisError;

use super::{
    call::{EndOnDrop, TransportCall},
    unsent::Unsent,
};
use crate::base::delivery::Delivery;

/// The body of a request. A drain waits for its call when it is complete.
#[derive(Debug)]
pub(crate) struct RequestBody {
    body: Incoming,
    call: TransportCall,
    is_incomplete: bool,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, call: TransportCall) -> Self {
        let mut body = Self { is_incomplete: true, body, call };
        if body.body.is_end_stream() {
            body.complete();
        }
        body
    }

    /// Returns the call of the request.
    pub(crate) fn call(&self) -> &TransportCall {
        &self.call
    }

    /// Returns the IP address of the client. Clients of Unix sockets have none.
    pub(crate) fn client(&self) -> Option<IpAddr> {
        self.call.connection().client()
    }

    /// Lets a drain wait for the call, whether or not its request is complete. Returns the call.
    pub(crate) fn pass_on(&mut self) -> TransportCall {
        self.complete();
        self.call.clone()
    }

    fn complete(&mut self) {
        if mem::take(&mut self.is_incomplete) {
            self.call.set_in_flight();
        }
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        self.complete();
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() || self.body.is_end_stream() {
            self.complete();
        } else if self.is_incomplete {
            self.call.connection().body_progressed();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// Size of the largest piece that is sent at once. Also the largest HTTP/2 frame by default.
const PIECE: usize = 16 * 1024;

/// The body of a response, in pieces that the connection tracks until they are sent. The call ends
/// with it.
pub(super) struct ResponseBody<B> {
    body: B,
    /// What is left of the last data frame of `body`.
    rest: Bytes,
    unsent: Arc<Unsent>,
    call: EndOnDrop,
    /// The wait before the response breaks off.
    breaking_off: Option<BoxFuture<'static, ()>>,
}

/// The error with which a response breaks off.
#[derive(Debug, ThisError)]
#[error("the response breaks off on purpose")]
struct BrokenOff;

impl<B> ResponseBody<B> {
    pub(super) fn new(body: B, unsent: Arc<Unsent>, call: EndOnDrop) -> Self {
        Self { body, rest: Bytes::new(), unsent, call, breaking_off: None }
    }

    /// Breaks the response off when the client has taken what precedes its end.
    fn break_off(&mut self) {
        let (unsent, call) = (self.unsent.clone(), self.call.call().clone());
        let sent = async move {
            unsent.sent().await;
            if call.delivery() == Delivery::Reset {
                call.connection().reset();
            }
        };
        self.breaking_off = Some(sent.boxed());
    }

    fn next_piece(&mut self) -> Frame<Bytes> {
        // Copied, since a part of the frame would keep the memory of the whole.
        let piece = Bytes::copy_from_slice(&self.rest.split_to(self.rest.len().min(PIECE)));
        Frame::data(self.unsent.track(piece))
    }

    fn is_early(&self) -> bool {
        self.call.call().delivery().is_early()
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for ResponseBody<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Some(sent) = &mut self.breaking_off {
            return sent.poll_unpin(cx).map(|()| Some(Err(BrokenOff.into())));
        }
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.next_piece())));
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let frame = frame.transpose().map_err(Into::into)?.map(Frame::into_data);
        Poll::Ready(match frame {
            Some(Ok(data)) if data.len() > PIECE => {
                self.rest = data;
                Some(Ok(self.next_piece()))
            }
            Some(Ok(data)) => Some(Ok(Frame::data(self.unsent.track(data)))),
            _ if self.is_early() => {
                self.break_off();
                return self.poll_frame(cx);
            }
            Some(Err(trailers)) => Some(Ok(trailers)),
            None => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && !self.is_early() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = SizeHint::new();
        if self.is_early() {
            return hint;
        }
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        hint.set_lower(body.lower().saturating_add(rest));
        if let Some(upper) = body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}
