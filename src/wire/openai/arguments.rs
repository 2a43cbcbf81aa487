//! Splits the arguments of a tool call for a stream.

use std::{iter, ops::Range};

/// The length of a piece in bytes, if there are not too many.
const LENGTH: usize = 8;
/// Maximum number of pieces.
const MAX_PIECES: usize = 32;

/// Returns the pieces of arguments: like those of OpenAI, they end within names and values, so that a
/// client has to join them.
pub(super) fn pieces(arguments: &str) -> impl Iterator<Item = Range<usize>> {
    let length = arguments.len().div_ceil(MAX_PIECES).max(LENGTH);
    let mut start = 0;
    iter::from_fn(move || {
        let piece = start..arguments.ceil_char_boundary(start + length);
        start = piece.end;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_together_are_the_arguments() {
        let long = "ä€x".repeat(1_000);
        for arguments in ["", "{}", r#"{"city":"Zürich"}"#, "€€€€€", &long] {
            let pieces: Vec<_> = pieces(arguments).map(|piece| &arguments[piece]).collect();
            assert_eq!(pieces.concat(), arguments);
            assert!(pieces.len() <= MAX_PIECES && !pieces.contains(&""), "{pieces:?}");
        }
    }
}
