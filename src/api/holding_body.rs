//! Response bodies that hold something of their call, such as its charge.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper::body::{Body, Frame, SizeHint};

use crate::base::memory::Charge;

/// A body that holds a value until it is sent or dropped.
#[derive(Debug)]
pub(crate) struct HoldingBody<B, H> {
    body: B,
    _held: H,
}

/// A body that holds the charge of its call, unless it is small.
pub(crate) type ChargedBody<B> = HoldingBody<B, Option<Arc<Charge>>>;

impl<B, H> HoldingBody<B, H> {
    pub(crate) fn holding(body: B, held: H) -> Self {
        Self { body, _held: held }
    }
}

impl<B> ChargedBody<B> {
    pub(crate) fn new(body: B, charge: Arc<Charge>) -> Self {
        Self::holding(body, Some(charge))
    }

    /// Wraps a small body.
    pub(crate) fn uncharged(body: B) -> Self {
        Self::holding(body, None)
    }
}

impl<B: Body + Unpin, H: Unpin> Body for HoldingBody<B, H> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
