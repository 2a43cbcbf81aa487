//! Checks that a protobuf message survives a round trip and that echo answers it.

use mynah::internals::wire::proto::ConversationRequestAlpha2;
use prost::Message;

pub fn run(data: &[u8]) -> bool {
    let Ok(request) = ConversationRequestAlpha2::decode(data) else { return false };
    let bytes = request.encode_to_vec();
    let decoded =
        ConversationRequestAlpha2::decode(bytes.as_slice()).expect("encoded bytes are decodable");
    // Compares bytes because a request may contain NaN, which does not equal itself.
    assert_eq!(decoded.encode_to_vec(), bytes);
    matches!(super::answer(request), Some(Ok(_)))
}
