//! What produces responses.
//!
//! A [`Provider`] is a pure function of the request, its configuration and its own declared
//! counters: no answer depends on a clock or on randomness, and it knows no transport.

mod context;
pub mod echo;
mod ids;
pub mod scripted;
pub(crate) mod stream;
mod usage;

use std::{ops::Range, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture, stream::BoxStream};

pub use self::context::CallContext;
pub(crate) use self::context::CancelOnDrop;
pub use self::stream::StreamOptions;
pub use crate::base::clock::Moment;
pub use crate::chat::ProviderError;
use crate::chat::{Delta, Request, Response};

/// Responds to the requests of one component.
///
/// Requests are shared instead of moved, so that a caller can keep a long history between turns
/// without copying it.
pub trait Provider: Send + Sync {
    /// Returns the response in pieces. The texts joined are the content of the response, which is
    /// the last delta. A stream that ends without its last delta is an error.
    ///
    /// The work is done when this returns; the stream only sleeps between its pieces.
    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>>;

    /// Returns the whole response: the one that [`stream`](Self::stream) ends with.
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        stream::collect(self.stream(request, context)).boxed()
    }

    /// Returns the ranges of a user's text that are instructions to this provider. They are never
    /// scrubbed.
    fn instruction_ranges(&self, _text: &str) -> Vec<Range<usize>> {
        Vec::new()
    }
}
