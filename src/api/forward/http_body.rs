//! Bodies of forwarded HTTP responses.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::net::OpenEnded;

/// A body that may stay open without a limit.
pub(super) struct HttpBody {
    body: Incoming,
    _open_ended: OpenEnded,
}

impl HttpBody {
    pub(super) fn new(body: Incoming, open_ended: OpenEnded) -> Self {
        Self { body, _open_ended: open_ended }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
