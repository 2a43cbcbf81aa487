//! A body reads as what it is printed as, the fast way as the exact one, and echo answers it.

use mynah::wire::{
    error::Error,
    json::{FastRead, read, read_request, write, write_response},
    proto::{ConversationRequest, ConversationRequestAlpha2},
};
use prost::{Message, Name};

pub fn run(data: &[u8]) -> bool {
    reads::<ConversationRequest>(data);
    let Some(request) = reads::<ConversationRequestAlpha2>(data) else { return false };
    let answered = super::answer(request);
    if let Some(Ok(answer)) = &answered {
        let body = write(answer).expect("an answer can be printed");
        serde_json::from_str::<serde_json::Value>(&body).expect("JSON");
        assert_eq!(write_response(answer), Ok(body));
    }
    matches!(answered, Some(Ok(_)))
}

fn reads<M: Message + Name + FastRead>(data: &[u8]) -> Option<M> {
    let exact = read::<M>(data);
    // By their bytes, since a request may hold a NaN.
    let bytes = |read: &Result<M, Error>| read.as_ref().map(M::encode_to_vec).map_err(Error::clone);
    assert_eq!(bytes(&read_request(data)), bytes(&exact));
    let message = match exact {
        Ok(message) => message,
        Err(error) => {
            assert!(error.message().len() <= 4096);
            return None;
        }
    };
    // Any of a struct that holds no finite number cannot be printed, nor what nests too deeply.
    if let Ok(printed) = write(&message) {
        let back = read::<M>(printed.as_bytes()).expect("what was printed");
        assert_eq!(back.encode_to_vec(), message.encode_to_vec(), "{printed}");
    }
    Some(message)
}
