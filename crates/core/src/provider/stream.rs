//! Converts responses to streams of deltas, and streams to responses.

use std::{mem, time::Duration};

use futures_util::stream::BoxStream;
use tokio_stream::{Stream, StreamExt};

use super::CallContext;
use crate::chat::{ChunkLengths, ChunkSize, Chunks, Delta, ProviderError, Response};

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

/// The chunks of a stream, one by one. What follows them is in chunks of the usual size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedChunks {
    /// The chunks of the reasoning.
    pub reasoning: ChunkLengths,
    /// The chunks of the text.
    pub text: ChunkLengths,
}

/// The pieces of an answer.
pub type Deltas = BoxStream<'static, Result<Delta, ProviderError>>;

/// The end of an answer that is known: the complete response or a failure.
pub type End = Result<Box<Response>, Box<Failure>>;

/// An answer that fails.
pub struct Failure {
    /// The error.
    pub error: ProviderError,
    /// What a stream sends before it.
    pub pieces: Pieces,
}

/// What a stream sends before it fails. By default, nothing.
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
    /// Returns the size in bytes.
    pub(super) fn size(&self) -> usize {
        self.reasoning.len() + self.text.len()
    }
}

/// Sends an answer in pieces.
pub(super) fn play(
    end: End,
    options: StreamOptions,
    chunks: ListedChunks,
    context: &CallContext,
) -> Deltas {
    let StreamOptions { chunk_size, chunk_delay, time_to_first_chunk } = options;
    let deltas = AnswerDeltas::new(end, chunk_size, chunks);
    if time_to_first_chunk.max(chunk_delay).is_zero() {
        return Box::pin(tokio_stream::iter(deltas));
    }
    let timed = deltas.enumerate().map(move |(at, delta)| match &delta {
        _ if at == 0 => (time_to_first_chunk, delta),
        Ok(Delta::Reasoning(_) | Delta::Text(_)) => (chunk_delay, delta),
        Ok(Delta::Complete(_)) | Err(_) => (Duration::ZERO, delta),
    });
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

/// The deltas of an answer, whose texts are not copied as a whole.
struct AnswerDeltas {
    end: Option<End>,
    reasoning: Chunks,
    text: Chunks,
    chunks_left: usize,
}

impl AnswerDeltas {
    fn new(end: End, size: ChunkSize, chunks: ListedChunks) -> Self {
        let [reasoning, text] = texts(&end);
        let reasoning = Chunks::with_lengths(reasoning, size, chunks.reasoning);
        let text = Chunks::with_lengths(text, size, chunks.text);
        let chunks_left = end.as_ref().map_or_else(|it| it.pieces.max_chunks, |_| usize::MAX);
        Self { end: Some(end), reasoning, text, chunks_left }
    }

    fn next_chunk(&mut self) -> Option<Delta> {
        let [reasoning, text] = texts(self.end.as_ref()?);
        self.chunks_left = self.chunks_left.checked_sub(1)?;
        let reasoning = self.reasoning.next(reasoning).map(|it| Delta::Reasoning(it.to_owned()));
        reasoning.or_else(|| self.text.next(text).map(|it| Delta::Text(it.to_owned())))
    }
}

impl Iterator for AnswerDeltas {
    type Item = Result<Delta, ProviderError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(chunk) = self.next_chunk() {
            return Some(Ok(chunk));
        }
        let end = self.end.take()?;
        Some(end.map(Delta::Complete).map_err(|failure| failure.error))
    }
}

/// Returns the reasoning and the text that a stream sends.
fn texts(end: &End) -> [&str; 2] {
    match end {
        Ok(response) => [&response.reasoning, &response.content],
        Err(failure) => [&failure.pieces.reasoning, &failure.pieces.text],
    }
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
