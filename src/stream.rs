//! Responses into deltas, and back.

use std::time::Duration;

use futures_util::{
    StreamExt,
    stream::{self, Stream},
};

use crate::{
    chat::{Delta, Response},
    clock,
};

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
        let (chunk, after) = rest.split_at(chunk_len(rest));
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

fn chunk_len(text: &str) -> usize {
    let word = text.len() - text.trim_start().len();
    let end = text[word..].find(char::is_whitespace).map_or(text.len(), |len| word + len);
    if text[end..].trim_start().is_empty() { text.len() } else { end }
}

/// Streams a response that is known whole, `pause` before each piece but the first.
pub(crate) fn deltas(
    response: Response,
    pause: Duration,
) -> impl Stream<Item = Delta> + Send + 'static {
    stream::unfold(Some((response, 0)), move |state| async move {
        let (response, at) = state?;
        let len = chunk_len(&response.content[at..]);
        if len == 0 {
            return Some((Delta::Complete(response), None));
        }
        if at > 0 {
            clock::pause(pause).await;
        }
        let text = response.content[at..at + len].to_owned();
        Some((Delta::Text(text), Some((response, at + len))))
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

    use super::chunks;

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
