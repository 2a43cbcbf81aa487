//! Calls, and the bodies of their requests, which count themselves in the [`Activity`] of the
//! connection.

use std::{
    mem,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, Version, header::CONNECTION};
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::activity::Activity;

/// The body of a request.
#[derive(Debug)]
pub(crate) struct RequestBody {
    body: Incoming,
    activity: Arc<Activity>,
    /// Whether the call counts as one whose request is incomplete.
    is_incomplete: bool,
}

/// A call that is passed on to another server, which alone knows when it ends.
#[derive(Debug)]
pub(crate) struct PassedCall(Arc<Activity>);

/// A call that does not delay a drain.
#[derive(Debug)]
pub(crate) struct OpenEnded(Arc<Activity>);

/// A call whose response has not ended.
pub(super) struct Call {
    activity: Arc<Activity>,
    version: Version,
}

impl RequestBody {
    fn new(body: Incoming, activity: &Arc<Activity>) -> Self {
        let is_incomplete = !body.is_end_stream();
        if is_incomplete {
            activity.request_started();
        }
        Self { body, activity: activity.clone(), is_incomplete }
    }

    /// Returns the IP address of the client. Clients of Unix sockets have none.
    pub(crate) fn client(&self) -> Option<IpAddr> {
        self.activity.client()
    }

    /// Counts the call as one in flight, whether or not its request is complete.
    pub(crate) fn pass_on(&mut self) -> PassedCall {
        self.complete();
        PassedCall(self.activity.clone())
    }

    fn complete(&mut self) {
        if mem::take(&mut self.is_incomplete) {
            self.activity.request_ended();
        }
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        self.complete();
    }
}

impl PassedCall {
    /// Stops counting the call as one in flight. The result must be dropped before the response.
    pub(crate) fn open_ended(self) -> OpenEnded {
        self.0.request_started();
        OpenEnded(self.0)
    }
}

impl Drop for OpenEnded {
    fn drop(&mut self) {
        self.0.request_ended();
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
            self.activity.body_progressed();
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

impl Call {
    /// Counts a call until it is dropped, together with the body of its response.
    pub(super) fn start(
        activity: &Arc<Activity>,
        request: Request<Incoming>,
    ) -> (Self, Request<RequestBody>) {
        activity.call_started();
        let call = Self { activity: activity.clone(), version: request.version() };
        (call, request.map(|body| RequestBody::new(body, activity)))
    }

    /// Returns the state of the connection.
    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// During a drain, makes the response the last one of an HTTP/1 connection.
    pub(super) fn finish<B>(&self, response: &mut Response<B>) {
        if self.activity.is_draining() && self.version < Version::HTTP_2 {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.activity.call_ended();
    }
}
