//! Request bodies that end when draining starts.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{FutureExt, future::BoxFuture};
use hyper::body::{Body, Frame, SizeHint};

use crate::base::drain::Drain;

/// A body that ends when draining starts and the data that has arrived is read.
pub(crate) struct UntilDrain<B> {
    body: B,
    drained: BoxFuture<'static, ()>,
}

impl<B> UntilDrain<B> {
    pub(crate) fn new(body: B, drain: Drain) -> Self {
        Self { body, drained: async move { drain.started().await }.boxed() }
    }
}

impl<B: Body + Unpin> Body for UntilDrain<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Pending => self.drained.poll_unpin(cx).map(|()| None),
            ready => ready,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
