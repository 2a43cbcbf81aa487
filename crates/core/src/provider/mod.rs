//! Providers, which produce the responses.
//!
//! The responses of a [`Provider`] depend only on the request and on the provider's configuration
//! and declared counters, not on a clock or on randomness. A provider knows nothing about the
//! transport of a call.

mod answer;
pub mod call;
mod context;
pub mod counters;
pub mod ids;
pub mod recently_used;
pub mod sessions;
pub mod stream;
pub mod trace;
pub mod turns;
mod unseen;
pub mod usage;
pub mod waiting;

use std::{ops::Range, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};

pub use self::{
    answer::{Answer, Answering, Live},
    context::{
        CallContext, CancelOnDrop, Cancellation, RecordedAnswers, ResultScrubber, deadline_exceeded,
    },
    ids::{HistoryHash, conversation_hash},
    stream::{Deltas, End, Failure, StreamOptions},
    unseen::Unseen,
};
use crate::chat::{Request, Response};
pub use crate::{base::clock::Moment, chat::ProviderError};

/// The answer of a component after the last step of an instruction chain, unless its settings name
/// another one. Over Dapr's API, only this text tells that the component has nothing more to say.
pub const EXHAUSTED: &str = "Chain completed - using fallback response";

/// The implementation of a component, which responds to requests.
///
/// Requests are shared instead of moved, so that a caller can keep a long history from turn to turn
/// without copying it.
///
/// ```
/// use std::sync::Arc;
///
/// use mynah_core::{
///     chat::{Message, Request, Response, Role},
///     provider::{Answering, CallContext, Provider},
/// };
///
/// /// Answers in capitals.
/// struct Shouter;
///
/// impl Provider for Shouter {
///     fn answer(self: Arc<Self>, request: Arc<Request>, _: CallContext) -> Answering {
///         let prompt = request.last_user().map(|message| message.text().to_uppercase());
///         Response { content: prompt.unwrap_or_default(), ..Response::default() }.into()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let messages = vec![Message::new(Role::User, "Hello!")];
/// let request = Arc::new(Request { messages, ..Request::default() });
/// let response = Arc::new(Shouter).converse(request, CallContext::default()).await?;
/// assert_eq!(response.content, "HELLO!");
/// # Ok(())
/// # }
/// ```
pub trait Provider: Send + Sync {
    /// Returns the answer to a request, or how it is going to arrive.
    ///
    /// Work of about a millisecond must be done before this method returns, and longer work on
    /// another thread. Polling pieces only waits for the next one.
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering;

    /// Returns the complete response, with which [`stream`](Self::stream) ends.
    fn converse(
        self: Arc<Self>,
        request: Arc<Request>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let answering = self.answer(request, context.clone()).charge(&context);
        async move { answering.whole(&context).await.map(|response| *response) }.boxed()
    }

    /// Returns the response in pieces. The text deltas, concatenated, are the content of the
    /// response. The last delta is the complete response. It is an error for a stream to end
    /// without [`Delta::Complete`](crate::chat::Delta::Complete).
    fn stream(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Deltas {
        self.answer(request, context.clone()).charge(&context).pieces(&context)
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
