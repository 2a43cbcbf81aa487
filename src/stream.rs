//! Responses into deltas, and back.

use std::{num::NonZeroUsize, time::Duration};

use futures_util::{
    StreamExt, future,
    stream::{self, Stream},
};

use crate::{
    chat::{Delta, Response},
    clock,
};

/// How fast a stream goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Words in a chunk.
    pub words_per_chunk: NonZeroUsize,
    /// The wait between two chunks.
    pub chunk_delay: Duration,
    /// The wait before the first chunk, or before the end where there is none.
    pub time_to_first_chunk: Duration,
}

/// Word by word, without waiting: tests should be fast.
impl Default for Pace {
    fn default() -> Self {
        Self {
            words_per_chunk: NonZeroUsize::MIN,
            chunk_delay: Duration::ZERO,
            time_to_first_chunk: Duration::ZERO,
        }
    }
}

/// The pieces in which `text` is streamed: white space, then a word. White space at the end joins
/// the last piece, and a text of nothing else is one piece. Joined they are the text.
///
/// ```
/// use mynah::stream::chunks;
/// assert_eq!(chunks("Hello, world!").collect::<Vec<_>>(), ["Hello,", " world!"]);
/// assert_eq!(chunks(" a  b \n").collect::<Vec<_>>(), [" a", "  b \n"]);
/// ```
pub fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (chunk, after) = rest.split_at(word_len(rest));
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// The length of the first words together.
fn chunk_len(text: &str, words: NonZeroUsize) -> usize {
    let mut end = 0;
    for _ in 0..words.get() {
        match word_len(&text[end..]) {
            0 => break,
            len => end += len,
        }
    }
    end
}

fn word_len(text: &str) -> usize {
    let word = text.len() - text.trim_start().len();
    let end = text[word..].find(char::is_whitespace).map_or(text.len(), |len| word + len);
    if text[end..].trim_start().is_empty() { text.len() } else { end }
}

/// Streams a response that is known whole.
pub(crate) fn deltas(response: Response, pace: Pace) -> impl Stream<Item = Delta> + Send + 'static {
    let content = response.content.clone();
    texts(content, pace).chain(stream::once(future::ready(Delta::Complete(response))))
}

/// Streams a text, without an end.
pub(crate) fn texts(text: String, pace: Pace) -> impl Stream<Item = Delta> + Send + 'static {
    stream::unfold((text, 0), move |(text, at)| async move {
        let len = chunk_len(&text[at..], pace.words_per_chunk);
        match (at, len) {
            (0, _) => clock::pause(pace.time_to_first_chunk).await,
            (_, 0) => {}
            _ => clock::pause(pace.chunk_delay).await,
        }
        let chunk = text[at..at + len].to_owned();
        (len > 0).then(|| (Delta::Text(chunk), (text, at + len)))
    })
}

/// The response that a stream ends with; `None` where it ends without one.
pub(crate) async fn whole<E>(
    mut deltas: impl Stream<Item = Result<Delta, E>> + Unpin,
) -> Result<Option<Response>, E> {
    while let Some(delta) = deltas.next().await {
        if let Delta::Complete(response) = delta? {
            return Ok(Some(response));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::Moment;

    fn pace(words: usize) -> Pace {
        Pace { words_per_chunk: NonZeroUsize::new(words).unwrap(), ..Pace::default() }
    }

    /// The deltas of a response, and when each came, with a clock that runs only while waiting.
    fn timed(content: &str, pace: Pace) -> Vec<(u128, Delta)> {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().start_paused(true).build().unwrap();
        let response = Response { content: content.to_owned(), ..Response::default() };
        runtime.block_on(async {
            let start = Moment::now();
            deltas(response, pace).map(|delta| (start.age().as_millis(), delta)).collect().await
        })
    }

    fn texts_of(deltas: &[(u128, Delta)]) -> Vec<(u128, &str)> {
        let pairs = deltas.iter().map(|(time, delta)| match delta {
            Delta::Text(text) => (*time, text.as_str()),
            Delta::Complete(_) => (*time, "<complete>"),
        });
        pairs.collect()
    }

    #[test]
    fn a_stream_keeps_its_pace() {
        let [first, each] = [200, 30].map(Duration::from_millis);
        let pace = Pace { chunk_delay: each, time_to_first_chunk: first, ..pace(2) };
        let deltas = timed("one two three four five", pace);
        let expected =
            [(200, "one two"), (230, " three four"), (260, " five"), (260, "<complete>")];
        assert_eq!(texts_of(&deltas), expected);
        assert_eq!(texts_of(&timed("", pace)), [(200, "<complete>")]);
    }

    #[test]
    fn white_space_leads_a_word_and_trails_the_last() {
        let cases: [(&str, &[&str]); 7] = [
            ("", &[]),
            ("one", &["one"]),
            ("one two", &["one", " two"]),
            ("  one", &["  one"]),
            ("one \n", &["one \n"]),
            (" \t\n", &[" \t\n"]),
            ("a\u{a0}b\u{3000}c", &["a", "\u{a0}b", "\u{3000}c"]),
        ];
        for (text, expected) in cases {
            assert_eq!(chunks(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn however_many_words_a_chunk_has_the_text_stays(
            text in "[a-c \\n\u{3000}]{0,40}", words in 1_usize..6,
        ) {
            let mut rest = text.as_str();
            let mut pieces = 0;
            while !rest.is_empty() {
                rest = &rest[chunk_len(rest, pace(words).words_per_chunk)..];
                pieces += 1;
            }
            prop_assert_eq!(pieces, chunks(&text).count().div_ceil(words));
        }

        #[test]
        fn chunks_joined_are_the_text(text in "(\\PC|\\s){0,40}") {
            let pieces: Vec<_> = chunks(&text).collect();
            prop_assert_eq!(&pieces.concat(), &text);
            prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
        }

        #[test]
        fn a_chunk_is_white_space_then_a_word(text in "[a-c \\n\u{3000}]{1,40}") {
            let pieces: Vec<_> = chunks(&text).collect();
            let words = text.split_whitespace().count();
            prop_assert_eq!(pieces.len(), words.max(1));
            for piece in &pieces[..pieces.len() - 1] {
                let word = piece.trim_start();
                prop_assert!(!word.is_empty() && !word.contains(char::is_whitespace));
            }
        }
    }
}
