//! What produces answers.
//!
//! A provider is a pure function of the request, its configuration and its own declared counters:
//! no clock, no randomness, no transport.

pub mod echo;

use std::sync::Arc;

use futures_util::{future::BoxFuture, stream::BoxStream};

use crate::chat::{Delta, Request, Response};

/// Why a provider could not answer, in words for the client.
pub type ProviderError = String;

/// Answers requests of one component.
pub trait Provider: Send + Sync {
    /// The whole answer at once.
    fn converse<'a>(
        &'a self,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Response, ProviderError>>;

    /// The same answer in pieces: its texts joined are the content of
    /// [`converse`](Self::converse), and its end is that very response.
    fn stream(
        self: Arc<Self>,
        request: Request,
    ) -> BoxStream<'static, Result<Delta, ProviderError>>;
}
