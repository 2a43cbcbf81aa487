//! Responses into deltas.

use std::time::Duration;

use futures_util::stream::{self, Stream};

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
