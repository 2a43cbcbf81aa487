//! Calls, and the bodies of their requests, which count themselves in the [`Activity`] of the
//! connection.

use std::{
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
    /// `None` once the body is complete.
    call: Option<IncompleteRequest>,
}

/// A request whose body has not been received completely.
#[derive(Debug)]
struct IncompleteRequest(Arc<Activity>);

/// A call whose response has not ended.
pub(super) struct Call {
    activity: Arc<Activity>,
    version: Version,
}

impl RequestBody {
    fn new(body: Incoming, activity: &Arc<Activity>) -> Self {
        let is_complete = body.is_end_stream();
        let call = (!is_complete).then(|| IncompleteRequest::new(activity.clone()));
        Self { body, call }
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
            self.call = None;
        } else if let Some(IncompleteRequest(activity)) = &self.call {
            activity.body_progressed();
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

impl IncompleteRequest {
    fn new(activity: Arc<Activity>) -> Self {
        activity.request_started();
        Self(activity)
    }
}

impl Drop for IncompleteRequest {
    fn drop(&mut self) {
        self.0.request_ended();
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
