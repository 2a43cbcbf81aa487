//! What produces answers.
//!
//! A provider is a pure function of the request, its configuration and its own declared counters:
//! no clock, no randomness, no transport.

pub mod echo;
mod ids;
pub mod scripted;
pub mod stream;
mod usage;

use std::{ops::Range, sync::Arc};

use futures_util::{future::BoxFuture, stream::BoxStream};

pub use crate::chat::ProviderError;
use crate::chat::{Delta, Request, Response};

/// Answers requests of one component.
///
/// Whoever asks keeps the request, too: the history of a long conversation is not copied each turn.
pub trait Provider: Send + Sync {
    /// The whole answer at once. The call does the work; the future only waits.
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
    ) -> BoxFuture<'static, Result<Response, ProviderError>>;

    /// The same answer in pieces: its texts joined are the content of
    /// [`converse`](Self::converse), and its end is that very response.
    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
    ) -> BoxStream<'static, Result<Delta, ProviderError>>;

    /// Where a user's text directs the provider. That is no personal data, and is never scrubbed.
    fn directions(&self, _text: &str) -> Vec<Range<usize>> {
        Vec::new()
    }
}
