//! Response bodies that belong to the charge of their call.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper::body::{Body, Frame, SizeHint};

use crate::base::memory::Charge;

/// A body that keeps the charge of its call until it is sent or dropped.
#[derive(Debug)]
pub(crate) struct ChargedBody<B> {
    body: B,
    _charge: Option<Arc<Charge>>,
}

impl<B> ChargedBody<B> {
    pub(crate) fn new(body: B, charge: Arc<Charge>) -> Self {
        Self { body, _charge: Some(charge) }
    }

    /// Wraps a small body.
    pub(crate) fn uncharged(body: B) -> Self {
        Self { body, _charge: None }
    }
}

impl<B: Body + Unpin> Body for ChargedBody<B> {
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
