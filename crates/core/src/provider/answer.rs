//! Answers as data, and how they are played: whole or in pieces.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, StreamExt, future::BoxFuture};

use super::{
    CallContext, ProviderError,
    stream::{self, Deltas, End, Failure, ListedChunks, Pieces, StreamOptions},
};
use crate::{base::memory::MemoryExhausted, chat::Response};

/// How a provider answers a request.
///
/// ```
/// use std::time::Duration;
///
/// use mynah_core::{
///     chat::Response,
///     provider::{Answer, Answering, CallContext},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let response = Response { content: "Hello!".into(), ..Response::default() };
/// let answer = Answer { delay: Duration::from_millis(5), ..Answer::from(response) };
/// let played = Answering::from(answer).whole(&CallContext::default()).await?;
/// assert_eq!(played.content, "Hello!");
/// # Ok(())
/// # }
/// ```
pub enum Answering {
    /// The answer is known.
    Now(Answer),
    /// The answer is known after longer work.
    Later(BoxFuture<'static, Self>),
    /// The answer arrives in pieces, as those of [`Provider::stream`](super::Provider::stream).
    Pieces(Deltas),
    /// The answer arrives whole or in pieces, as the caller wants it.
    Live(Box<dyn Live>),
}

/// An answer that a model elsewhere gives, or that takes several turns. Nothing happens before one of the
/// methods is called. It charges the call itself.
pub trait Live: Send {
    /// Requests the answer as a whole.
    fn whole(self: Box<Self>) -> BoxFuture<'static, Result<Response, ProviderError>>;

    /// Requests the answer in pieces.
    fn pieces(self: Box<Self>) -> Deltas;
}

/// An answer that is known before any of it is sent.
pub struct Answer {
    /// How the answer ends.
    pub end: End,
    /// Time before the answer begins, in addition to that of the stream.
    pub delay: Duration,
    /// How a stream sends the answer.
    pub stream: StreamOptions,
    /// The chunks of a recorded stream. Shared, because few answers have them.
    pub chunks: Option<Arc<ListedChunks>>,
}

impl Answering {
    /// Plays the answer as a whole. `context` is that of the call, which is charged for an answer that is
    /// known later.
    ///
    /// # Errors
    ///
    /// Fails if the answer is an error, if there is no memory for it, or if the call is cancelled.
    pub async fn whole(mut self, context: &CallContext) -> Result<Box<Response>, ProviderError> {
        loop {
            self = match self {
                Self::Now(Answer { end, delay, .. }) => {
                    if !delay.is_zero() {
                        context.pause(delay).await?;
                    }
                    return end.map_err(|failure| failure.error);
                }
                Self::Later(later) => later.await.charge(context),
                Self::Pieces(deltas) => return stream::collect(deltas).await.map(Box::new),
                Self::Live(live) => return live.whole().await.map(Box::new),
            }
        }
    }

    /// Plays the answer in pieces. `context` is that of the call, which is charged for an answer that is
    /// known later.
    pub fn pieces(self, context: &CallContext) -> Deltas {
        match self {
            Self::Now(answer) => answer.pieces(context),
            Self::Later(later) => {
                let context = context.clone();
                let pieces = move |later: Self| later.charge(&context).pieces(&context);
                later.map(pieces).flatten_stream().boxed()
            }
            Self::Pieces(deltas) => deltas,
            Self::Live(live) => live.pieces(),
        }
    }

    /// Charges the call for an answer that is known. Other answers charge the call when they arrive.
    pub fn charge(self, context: &CallContext) -> Self {
        let Self::Now(answer) = &self else { return self };
        match answer.charge(context) {
            Ok(()) => self,
            Err(error) => ProviderError::from(error).into(),
        }
    }
}

impl Answer {
    /// Plays the answer in pieces. `context` is that of the call.
    pub fn pieces(self, context: &CallContext) -> Deltas {
        let Self { end, delay, stream, chunks } = self;
        let chunks = chunks.as_deref().cloned().unwrap_or_default();
        let time_to_first_chunk = stream.time_to_first_chunk.saturating_add(delay);
        stream::play(end, StreamOptions { time_to_first_chunk, ..stream }, chunks, context)
    }

    fn charge(&self, context: &CallContext) -> Result<(), MemoryExhausted> {
        context.hold(match &self.end {
            Ok(response) => response.size(),
            Err(failure) => failure.pieces.size(),
        })
    }
}

impl From<End> for Answer {
    fn from(end: End) -> Self {
        Self { end, delay: Duration::ZERO, stream: StreamOptions::default(), chunks: None }
    }
}

impl From<Response> for Answer {
    fn from(response: Response) -> Self {
        Ok(Box::new(response)).into()
    }
}

impl From<ProviderError> for Answer {
    fn from(error: ProviderError) -> Self {
        Err(Box::new(Failure { error, pieces: Pieces::default() })).into()
    }
}

impl<A: Into<Answer>> From<A> for Answering {
    fn from(answer: A) -> Self {
        Self::Now(answer.into())
    }
}
