//! Upper bounds of the memory that decoding takes. Tiny values grow most: an empty tool has two bytes
//! on the wire and a hundred in memory.

use super::{
    protobuf::{self, Field},
    structs,
};
use crate::base::json_size::COPIES;

/// Memory for one field of a message, with what is made of it.
const FIELD: usize = 100;
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
}
