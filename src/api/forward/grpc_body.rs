//! Bodies of forwarded gRPC responses.

use std::{
    error::Error as StdError,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::HeaderMap;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tonic::Status;

use super::pool::{Place, unavailable};

/// A body that holds the place of its call. If the connection to daprd is lost, it ends with
/// trailers that say so.
pub(super) struct GrpcBody {
    body: Incoming,
    address: Arc<str>,
    is_lost: bool,
    _place: Place,
}

impl GrpcBody {
    pub(super) fn new(body: Incoming, address: Arc<str>, place: Place) -> Self {
        Self { body, address, is_lost: false, _place: place }
    }
}

impl Body for GrpcBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        if self.is_lost {
            return Poll::Ready(None);
        }
        match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            // The client gets the same reset.
            Some(Err(error)) if is_reset(&error) => Poll::Ready(Some(Err(error))),
            Some(Err(error)) => {
                self.is_lost = true;
                let status = Status::from(unavailable(&self.address, &error));
                Poll::Ready(Some(Ok(Frame::trailers(trailers(&status)))))
            }
            frame => Poll::Ready(frame),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_lost || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // The length that daprd announced may not arrive.
        SizeHint::default()
    }
}

/// Returns `true` if daprd has reset the call, and not lost the connection.
fn is_reset(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<h2::Error>());
    cause.is_some_and(|cause| cause.is_reset())
}

fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    // Fails only if a header is invalid, and tonic encodes the message.
    let _ = status.add_header(&mut trailers);
    trailers
}
