//! Providers, which produce the responses.
//!
//! The responses of a [`Provider`] depend only on the request and on the provider's configuration
//! and declared counters, not on a clock or on randomness. A provider knows nothing about the
//! transport of a call.

pub(crate) mod call;
mod context;
pub(crate) mod counters;
pub mod echo;
pub(crate) mod embedding;
pub(crate) mod faults;
mod ids;
mod recently_used;
pub mod scripted;
pub(crate) mod sessions;
pub(crate) mod stream;
mod turns;
mod unseen;
mod usage;
pub(crate) mod waiting;

use std::{ops::Range, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture, stream::BoxStream};

pub use self::context::CallContext;
pub(crate) use self::context::{CancelOnDrop, Cancellation, ResultScrubber, deadline_exceeded};
pub(crate) use self::ids::{HistoryHash, conversation_hash};
pub use self::stream::{StreamOptions, deltas};
pub(crate) use self::unseen::Unseen;
pub use crate::base::clock::Moment;
pub use crate::chat::ProviderError;
use crate::chat::{Delta, Request, Response};

/// The implementation of a component, which responds to requests.
///
/// Requests are shared instead of moved, so that a caller can keep a long history from turn to turn
/// without copying it.
///
/// ```
/// use std::sync::Arc;
///
/// use futures_util::stream::BoxStream;
/// use mynah::{
///     chat::{Delta, Request, Response},
///     provider::{CallContext, Provider, ProviderError, StreamOptions, deltas},
///     tool_loop::{LoopSettings, ToolLoop, ToolRegistry},
/// };
///
/// /// Answers in capitals.
/// struct Shouter;
///
/// impl Provider for Shouter {
///     fn stream(
///         self: Arc<Self>,
///         request: Arc<Request>,
///         context: CallContext,
///     ) -> BoxStream<'static, Result<Delta, ProviderError>> {
///         let prompt = request.last_user().map(|message| message.text().to_uppercase());
///         let response = Response { content: prompt.unwrap_or_default(), ..Response::default() };
///         deltas(response, StreamOptions::default(), &context)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tool_loop = ToolLoop::new(ToolRegistry::new(), LoopSettings::default())?;
/// assert_eq!(tool_loop.run(Arc::new(Shouter), "Hello!").await.answer()?, "HELLO!");
/// # Ok(())
/// # }
/// ```
pub trait Provider: Send + Sync {
    /// Returns the response in pieces. The text deltas, concatenated, are the content of the
    /// response. The last delta is the complete response. It is an error for a stream to end
    /// without [`Delta::Complete`].
    ///
    /// Work of about a millisecond must be done before this method returns, and longer work on
    /// another thread. Polling the stream only waits for the next piece.
    fn stream(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxStream<'static, Result<Delta, ProviderError>>;

    /// Returns the complete response, with which [`stream`](Self::stream) ends.
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        stream::collect(self.stream(request, context)).boxed()
    }

    /// Returns the ranges of a user message's text that are instructions to this provider. These
    /// ranges are never scrubbed.
    fn instruction_ranges(&self, _text: &str) -> Vec<Range<usize>> {
        Vec::new()
    }

    /// Adds the provider's own tools to a request, as the model behind it sees them. Most providers
    /// have none.
    fn offer_tools(&self, _request: &mut Request) {}

    /// Drops what the provider keeps of a [session](CallContext::session), or of all sessions. Most
    /// providers keep nothing.
    fn reset(&self, _session: Option<&str>) {}
}
