//! An upper bound of the memory that decoding JSON takes.

/// Memory for one key or value. The exact reader of requests keeps several copies.
const VALUE: usize = 240;
/// Texts are copied while they are converted.
pub const COPIES: usize = 2;

/// Returns the bound for a JSON text.
pub fn decoded_size(text: &[u8]) -> usize {
    text.len() * COPIES + keys_and_values(text) * VALUE
}

/// Counts what may be a key or a value outside of strings: what follows a comma, a colon, or a bracket
/// that is not closed at once.
fn keys_and_values(text: &[u8]) -> usize {
    let (mut count, mut rest) = (1, text);
    while let Some(at) = rest.iter().position(|byte| b"\",:[{".contains(byte)) {
        let (found, after) = (rest[at], &rest[at + 1..]);
        rest = if found == b'"' { after_string(after) } else { after };
        let is_empty = matches!((found, after.first()), (b'[', Some(b']')) | (b'{', Some(b'}')));
        count += usize::from(found != b'"' && !is_empty);
    }
    count
}

/// Returns what follows a string, of which the text after the opening quote is given.
fn after_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', text) {
        if text[at] == b'"' {
            return &text[at + 1..];
        }
        text = text.get(at + 2..).unwrap_or_default();
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_keys_and_values_of_json() {
        // Seven, and one for the object that is not empty.
        assert_eq!(keys_and_values(br#"{"a": [1, {}, "x,[{\\\",,"], "b": 2}"#), 8);
        assert_eq!(keys_and_values(br#""unclosed \"#), 1);
    }
}
