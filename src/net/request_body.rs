//! The bodies of requests.

use std::{
    mem,
    net::IpAddr,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::call::TransportCall;

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
