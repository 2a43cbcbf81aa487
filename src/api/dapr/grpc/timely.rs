//! Messages that must come in time.

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

/// A body that fails where it is not whole in time.
pub(super) struct Timely {
    body: Incoming,
    /// Made when there is something to wait for, which mostly there is not.
    late: Option<BoxFuture<'static, ()>>,
}

impl From<Incoming> for Timely {
    fn from(body: Incoming) -> Self {
        Self { body, late: None }
    }
}

impl Body for Timely {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| Ok(frame?)));
        }
        let late = self.late.get_or_insert_with(|| clock::pause(BODY_TIMEOUT).boxed());
        ready!(late.poll_unpin(cx));
        // tonic looks for a status among the causes of an error.
        Poll::Ready(Some(Err(Status::from(Error::BodyTimeout).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
