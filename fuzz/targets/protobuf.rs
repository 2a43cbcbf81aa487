//! A message decodes to what it is encoded to, and echo answers it.

use mynah::wire::proto::ConversationRequestAlpha2;
use prost::Message;

pub fn run(data: &[u8]) -> bool {
    let Ok(request) = ConversationRequestAlpha2::decode(data) else { return false };
    let bytes = request.encode_to_vec();
    let back = ConversationRequestAlpha2::decode(bytes.as_slice()).expect("what was encoded");
    // By their bytes, since a request may hold a NaN.
    assert_eq!(back.encode_to_vec(), bytes);
    matches!(super::answer(request), Some(Ok(_)))
}
