//! Request bodies with a deadline.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::BoxError;
use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tonic::Status;

use crate::{
    base::{clock, timeouts::BODY_TIMEOUT},
    wire::error::Error,
};

/// A body that fails unless it is complete in time.
pub(super) struct DeadlineBody {
    body: Incoming,
    /// Created when the body first has to wait for data. Most bodies never do.
    timeout: Option<BoxFuture<'static, ()>>,
}

impl From<Incoming> for DeadlineBody {
    fn from(body: Incoming) -> Self {
        Self { body, timeout: None }
    }
}

impl Body for DeadlineBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| Ok(frame?)));
        }
        let timeout = self.timeout.get_or_insert_with(|| clock::pause(BODY_TIMEOUT).boxed());
        ready!(timeout.poll_unpin(cx));
        // tonic looks for a `Status` among the sources of an error.
        Poll::Ready(Some(Err(Status::from(Error::BodyTimeout).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
