//! Responses into deltas, and back.

use std::{iter, num::NonZeroUsize, time::Duration};

use futures_util::{
    StreamExt,
    stream::{self, BoxStream, Stream},
};

use crate::{
    base::clock,
    chat::{Delta, Response},
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
/// use mynah::provider::stream::chunks;
/// assert_eq!(chunks("Hello, world!").collect::<Vec<_>>(), ["Hello,", " world!"]);
/// assert_eq!(chunks(" a  b \n").collect::<Vec<_>>(), [" a", "  b \n"]);
/// ```
pub fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut cuts = Cuts::new(text, NonZeroUsize::MIN);
    iter::from_fn(move || cuts.next(text))
}

/// Where a text is cut.
struct Cuts {
    words: NonZeroUsize,
    /// The end of the last piece.
    at: usize,
    /// The end of the last word of the text.
    last: usize,
}

impl Cuts {
    fn new(text: &str, words: NonZeroUsize) -> Self {
        Self { words, at: 0, last: text.trim_end().len() }
    }

    /// The next piece of the same text.
    fn next<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let start = self.at;
        for _ in 0..self.words.get() {
            self.at = word_end(text, self.at);
            if self.at >= self.last {
                self.at = text.len();
                break;
            }
        }
        (start < self.at).then(|| &text[start..self.at])
    }
}

/// The end of the first word after `at`.
fn word_end(text: &str, at: usize) -> usize {
    // Mostly it is ASCII, whose characters need not be put together from bytes.
    let rest = &text.as_bytes()[at..];
    let white = rest.iter().position(|byte| !is_white(*byte)).unwrap_or(rest.len());
    let word = &rest[white..];
    let word = word.iter().position(|byte| !byte.is_ascii_graphic()).unwrap_or(word.len());
    let end = at + white + word;
    match text.as_bytes().get(end) {
        Some(byte) if !is_white(*byte) => any_word_end(text, at),
        _ => end,
    }
}

/// ASCII's part of [`char::is_whitespace`].
fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn any_word_end(text: &str, at: usize) -> usize {
    let word = text[at..].trim_start();
    text.len() - word.len() + word.find(char::is_whitespace).unwrap_or(word.len())
}

/// Streams a response that is known whole.
pub(crate) fn deltas<E: Send + 'static>(
    response: Response,
    pace: Pace,
) -> BoxStream<'static, Result<Delta, E>> {
    said(response.content.clone(), Ok(response), pace)
}

/// Streams a text, then an end, which may be an error.
pub(crate) fn said<E: Send + 'static>(
    text: String,
    end: Result<Response, E>,
    pace: Pace,
) -> BoxStream<'static, Result<Delta, E>> {
    let Pace { words_per_chunk, chunk_delay, time_to_first_chunk } = pace;
    let end_wait = if text.is_empty() { time_to_first_chunk } else { Duration::ZERO };
    let end = end.map(|response| Delta::Complete(Box::new(response)));
    let texts = pieces(text, words_per_chunk).map(|text| Ok(Delta::Text(text)));
    if time_to_first_chunk.max(chunk_delay).is_zero() {
        return stream::iter(texts.chain(iter::once(end))).boxed();
    }
    let waits = iter::once(time_to_first_chunk).chain(iter::repeat(chunk_delay));
    let timed = waits.zip(texts).chain(iter::once((end_wait, end)));
    let after_wait = async |(wait, delta)| {
        clock::pause(wait).await;
        delta
    };
    stream::iter(timed).then(after_wait).boxed()
}

/// Cuts a text.
fn pieces(text: String, words: NonZeroUsize) -> impl Iterator<Item = String> {
    let mut cuts = Cuts::new(&text, words);
    iter::from_fn(move || cuts.next(&text).map(str::to_owned))
}

/// The response that a stream ends with; `None` where it ends without one.
pub(crate) async fn whole<E>(
    mut deltas: impl Stream<Item = Result<Delta, E>> + Unpin,
) -> Result<Option<Response>, E> {
    while let Some(delta) = deltas.next().await {
        if let Delta::Complete(response) = delta? {
            return Ok(Some(*response));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;
    use crate::base::clock::Moment;

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
            deltas::<Infallible>(response, pace)
                .map(|delta| (start.age().as_millis(), delta.unwrap()))
                .collect()
                .await
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
            let pieces: Vec<_> = pieces(text.clone(), pace(words).words_per_chunk).collect();
            prop_assert_eq!(pieces.concat(), text.as_str());
            prop_assert_eq!(pieces.len(), chunks(&text).count().div_ceil(words));
        }

        #[test]
        fn the_short_way_to_the_end_of_a_word_is_as_far(
            text in "[a\\x07\\x7f \\t\u{b}é\u{85}\u{a0}\u{3000}]{0,8}",
        ) {
            prop_assert_eq!(word_end(&text, 0), any_word_end(&text, 0), "{:?}", text);
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
