//! A body reads as what it is printed as, and echo answers it.

use mynah::wire::{
    json::{read, write},
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
    }
    matches!(answered, Some(Ok(_)))
}

fn reads<M: Message + Name + Default>(data: &[u8]) -> Option<M> {
    let message = match read::<M>(data) {
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
