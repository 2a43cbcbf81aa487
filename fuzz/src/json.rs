//! Checks that a JSON body survives a round trip, that the fast reader and writer agree with the
//! exact ones, and that echo answers the request.

use mynah::internals::wire::{
    error::Error,
    json::{FastRead, read, read_request, write, write_response},
    proto::{ConversationRequest, ConversationRequestAlpha2},
};
use prost::{Message, Name};

pub fn run(data: &[u8]) -> bool {
    read_checked::<ConversationRequest>(data);
    let Some(request) = read_checked::<ConversationRequestAlpha2>(data) else { return false };
    let answered = super::answer(request);
    if let Some(Ok(answer)) = &answered {
        let body = write(answer).expect("an answer is printable");
        serde_json::from_str::<serde_json::Value>(&body).expect("an answer is JSON");
        assert_eq!(write_response(answer), Ok(body));
    }
    matches!(answered, Some(Ok(_)))
}

/// Reads a message. Checks that both readers agree and that the message survives a round trip.
fn read_checked<M: Message + Name + FastRead>(data: &[u8]) -> Option<M> {
    let exact = read::<M>(data);
    // Compares bytes because a request may contain NaN, which does not equal itself.
    let bytes = |read: &Result<M, Error>| read.as_ref().map(M::encode_to_vec).map_err(Error::clone);
    assert_eq!(bytes(&read_request(data)), bytes(&exact));
    let message = match exact {
        Ok(message) => message,
        Err(error) => {
            assert!(error.message().len() <= 4096);
            return None;
        }
    };
    // Writing fails for NaN and infinity in a Struct, and for messages that are nested too deeply.
    if let Ok(printed) = write(&message) {
        let reread = read::<M>(printed.as_bytes()).expect("printed JSON is readable");
        assert_eq!(reread.encode_to_vec(), message.encode_to_vec(), "{printed}");
    }
    Some(message)
}
