//! Upper bounds of the memory that decoding takes. Tiny values grow most: an empty tool has two bytes
//! on the wire and a hundred in memory.

use super::{
    protobuf::{self, Field},
    structs,
};

/// Memory for one field of a message, with what is made of it.
const FIELD: usize = 100;
/// Memory for one key or value of JSON. The exact reader keeps several copies.
const VALUE: usize = 240;
/// Texts are copied while they are converted.
const COPIES: usize = 2;
/// Nesting beyond which decoding fails: that of prost, and three messages for each level of JSON.
const MAX_DEPTH: usize = 100 + 3 * structs::MAX_DEPTH;

/// Returns the bound for a protobuf message.
///
/// Counts what may be a field at any depth, also in schemas, as if all of them were read. No
/// descriptor is needed, since a text that happens to be a valid message only increases the bound.
pub(super) fn protobuf(message: &[u8]) -> usize {
    message.len() * COPIES + fields(message, 0) * FIELD
}

/// Counts the fields of a message up to the first that is invalid.
fn fields(message: &[u8], depth: usize) -> usize {
    let mut count = 0;
    for (_, value) in protobuf::fields(message).map_while(|field| field) {
        count += 1;
        if let Field::Bytes(inner) = value
            && depth < MAX_DEPTH
        {
            count += fields(inner, depth + 1);
        }
    }
    count
}

/// Returns the bound for a JSON text.
pub(crate) fn json(text: &[u8]) -> usize {
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
    use crate::wire::proto::{ConversationRequestAlpha2, ConversationTools};
    use prost::Message;

    #[test]
    fn counts_the_fields_of_nested_messages() {
        let tools = vec![ConversationTools::default(); 1_000];
        let request = ConversationRequestAlpha2 { tools, ..Default::default() };
        assert_eq!(fields(&request.encode_to_vec(), 0), 1_000);
        let name = "one field, and a text that is none".repeat(100);
        let request = ConversationRequestAlpha2 { name, ..Default::default() };
        assert_eq!(fields(&request.encode_to_vec(), 0), 1);
    }

    #[test]
    fn stops_at_invalid_and_deep_messages() {
        assert_eq!(fields(&[0x0a, 0, 0x0a, 0xff], 0), 1);
        assert_eq!(fields(&[0xff; 100], 0), 0);
        let nested = (0..1_000_u32).fold(Vec::new(), |inner: Vec<u8>, _| {
            let mut outer = vec![0x0a];
            prost::encoding::encode_varint(inner.len() as u64, &mut outer);
            outer.extend(inner);
            outer
        });
        assert_eq!(fields(&nested, 0), MAX_DEPTH + 1);
    }

    #[test]
    fn counts_the_keys_and_values_of_json() {
        // Seven, and one for the object that is not empty.
        assert_eq!(keys_and_values(br#"{"a": [1, {}, "x,[{\\\",,"], "b": 2}"#), 8);
        assert_eq!(keys_and_values(br#""unclosed \"#), 1);
    }
}
