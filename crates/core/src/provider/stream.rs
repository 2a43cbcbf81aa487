//! Converts responses to streams of deltas, and streams to responses.

use std::{iter, mem, time::Duration};

use futures_util::stream::BoxStream;
use tokio_stream::{Stream, StreamExt};

use super::CallContext;
use crate::chat::{ChunkSize, Chunks, Delta, ProviderError, Response};

/// The chunk size and the delays of a stream. By default, a chunk is one word, and there are no
/// delays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamOptions {
    /// Size of a chunk.
    pub chunk_size: ChunkSize,
    /// Time between two chunks.
    pub chunk_delay: Duration,
    /// Time before the first chunk, or before the end of a stream without chunks.
    pub time_to_first_chunk: Duration,
}

/// What a stream sends before its end. By default, nothing.
#[derive(Debug, Default)]
pub struct Pieces {
    /// The text of the model's reasoning, which is sent first.
    pub reasoning: String,
    /// The text of the answer.
    pub text: String,
    /// Maximum number of chunks of both.
    pub max_chunks: usize,
}

impl Pieces {
    /// Returns the pieces of a complete response.
    pub(super) fn of(response: &Response) -> Self {
        let (reasoning, text) = (response.reasoning.clone(), response.content.clone());
        Self { reasoning, text, max_chunks: usize::MAX }
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> usize {
        self.reasoning.len() + self.text.len()
    }

    fn is_empty(&self) -> bool {
        self.max_chunks == 0 || self.size() == 0
    }

    fn into_deltas(self, size: ChunkSize) -> impl Iterator<Item = Delta> {
        let reasoning = chunks(self.reasoning, size).map(Delta::Reasoning);
        let text = chunks(self.text, size).map(Delta::Text);
        reasoning.chain(text).take(self.max_chunks)
    }
}

/// Streams pieces, followed by a response or an error.
pub(super) fn piece_deltas(
    pieces: Pieces,
    end: Result<Box<Response>, ProviderError>,
    options: StreamOptions,
    context: &CallContext,
) -> BoxStream<'static, Result<Delta, ProviderError>> {
    let StreamOptions { chunk_size, chunk_delay, time_to_first_chunk } = options;
    let end_wait = if pieces.is_empty() { time_to_first_chunk } else { Duration::ZERO };
    let end = end.map(Delta::Complete);
    let deltas = pieces.into_deltas(chunk_size).map(Ok);
    if time_to_first_chunk.max(chunk_delay).is_zero() {
        return Box::pin(tokio_stream::iter(deltas.chain(iter::once(end))));
    }
    let waits = iter::once(time_to_first_chunk).chain(iter::repeat(chunk_delay));
    let timed = waits.zip(deltas).chain(iter::once((end_wait, end)));
    let context = context.clone();
    let after_wait = move |(wait, delta)| {
        let context = context.clone();
        async move {
            context.pause(wait).await?;
            delta
        }
    };
    // An error ends the stream.
    let mut has_failed = false;
    let until_error = move |delta: Result<Delta, ProviderError>| {
        let is_after_error = mem::replace(&mut has_failed, delta.is_err());
        (!is_after_error).then_some(delta)
    };
    Box::pin(tokio_stream::iter(timed).then(after_wait).map_while(until_error))
}

fn chunks(text: String, size: ChunkSize) -> impl Iterator<Item = String> {
    let mut chunks = Chunks::new(&text, size);
    iter::from_fn(move || chunks.next(&text).map(str::to_owned))
}

/// Returns the response that a stream ends with.
pub async fn collect(
    mut deltas: impl Stream<Item = Result<Delta, ProviderError>> + Unpin,
) -> Result<Response, ProviderError> {
    while let Some(delta) = deltas.next().await {
        if let Delta::Complete(response) = delta? {
            return Ok(*response);
        }
    }
    Err(incomplete())
}

/// Returns the error for a stream that ends without [`Delta::Complete`].
pub fn incomplete() -> ProviderError {
    ProviderError::internal("the stream ended before the response was complete")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::clock::Moment, provider::Answer};

    fn options(words: usize) -> StreamOptions {
        StreamOptions {
            chunk_size: ChunkSize::Words(words.try_into().unwrap()),
            ..StreamOptions::default()
        }
    }

    /// Returns the deltas of a response and the time of each in milliseconds, on a paused clock.
    fn timed(content: &str, options: StreamOptions) -> Vec<(u128, Delta)> {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().start_paused(true).build().unwrap();
        let response = Response { content: content.to_owned(), ..Response::default() };
        runtime.block_on(async {
            let start = Moment::now();
            let answer = Answer { stream: options, ..response.into() };
            answer
                .pieces(&CallContext::default())
                .map(|delta| (start.age().as_millis(), delta.unwrap()))
                .collect()
                .await
        })
    }

    fn texts_of(deltas: &[(u128, Delta)]) -> Vec<(u128, &str)> {
        let pairs = deltas.iter().map(|(time, delta)| match delta {
            Delta::Reasoning(text) | Delta::Text(text) => (*time, text.as_str()),
            Delta::Complete(_) => (*time, "<complete>"),
        });
        pairs.collect()
    }

    #[test]
    fn deltas_follow_the_pace() {
        let [first, each] = [200, 30].map(Duration::from_millis);
        let options = StreamOptions { chunk_delay: each, time_to_first_chunk: first, ..options(2) };
        let deltas = timed("one two three four five", options);
        let expected =
            [(200, "one two"), (230, " three four"), (260, " five"), (260, "<complete>")];
        assert_eq!(texts_of(&deltas), expected);
        assert_eq!(texts_of(&timed("", options)), [(200, "<complete>")]);
    }
}
