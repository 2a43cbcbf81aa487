//! Tests that the fast path either gives the same results as reflection or falls back to it.

use proptest::{collection::vec, prelude::*};
use prost::{Message, Name};

use super::bodies;
use crate::wire::{
    json::{FastRead, FastWrite, fast_read, fast_write, read, read_request, write, write_response},
    proto::*,
};

/// Checks each message on its own, because few bodies contain all messages.
const READERS: [fn(&[u8]); 15] = [
    check_common_body::<ConversationRequest>,
    check_common_body::<ConversationInput>,
    check_common_body::<ConversationRequestAlpha2>,
    check_common_body::<ConversationInputAlpha2>,
    check_common_body::<ConversationMessage>,
    check_common_body::<ConversationMessageOfDeveloper>,
    check_common_body::<ConversationMessageOfSystem>,
    check_common_body::<ConversationMessageOfUser>,
    check_common_body::<ConversationMessageOfAssistant>,
    check_common_body::<ConversationMessageOfTool>,
    check_common_body::<ConversationMessageContent>,
    check_common_body::<ConversationToolCalls>,
    check_common_body::<ConversationToolCallsOfFunction>,
    check_common_body::<ConversationTools>,
    check_common_body::<ConversationToolsFunction>,
];
const WRITERS: [fn(&[u8]); 9] = [
    check_writer::<ConversationResponse>,
    check_writer::<ConversationResponseAlpha2>,
    check_writer::<ConversationStreamResponse>,
    check_writer::<ConversationStreamResponseAlpha2>,
    check_writer::<ConversationToolCallsOfFunction>,
    check_writer::<ConversationResultAlpha2CompletionUsage>,
    check_writer::<ConversationResultAlpha2CompletionUsageCompletionTokensDetails>,
    check_writer::<ConversationResultAlpha2CompletionUsagePromptTokensDetails>,
    check_writer::<ConversationStreamUsage>,
];

fn choices() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..300)
}

/// Encodes a message. The tests compare the bytes, because a message that contains a NaN is not
/// equal to itself.
fn encoded<M: Message, E>(message: Result<M, E>) -> Result<Vec<u8>, E> {
    message.map(|message| message.encode_to_vec())
}

fn check_reader<M: Message + Name + FastRead>(body: &[u8]) {
    let expected = encoded(read::<M>(body));
    if let Ok(fast) = encoded(fast_read::read::<M>(body)) {
        assert_eq!(Ok(fast), expected);
    }
    assert_eq!(encoded(read_request::<M>(body)), expected);
}

fn check_common_body<M: Message + Name + FastRead>(choices: &[u8]) {
    let body = bodies::common::<M>(choices);
    let fast = encoded(fast_read::read::<M>(body.as_bytes())).expect(&body);
    assert_eq!(Ok(fast), encoded(read::<M>(body.as_bytes())), "{body}");
}

fn check_writer<M: Message + Name + Default + FastWrite>(choices: &[u8]) {
    for (body, is_common) in
        [(bodies::common::<M>(choices), true), (bodies::unusual::<M>(choices), false)]
    {
        let Ok(message) = read::<M>(body.as_bytes()) else { continue };
        let (fast, expected) = (fast_write::write(&message), write(&message));
        assert!(fast.is_ok() || !is_common, "{body}");
        if let Ok(json) = fast {
            assert_eq!(Ok(json), expected);
        }
        assert_eq!(write_response(&message), expected);
    }
}

proptest! {
    #[test]
    fn reads_unusual_bodies_like_reflection(choices in choices()) {
        check_reader::<ConversationRequest>(
            bodies::unusual::<ConversationRequest>(&choices).as_bytes(),
        );
        check_reader::<ConversationRequestAlpha2>(
            bodies::unusual::<ConversationRequestAlpha2>(&choices).as_bytes(),
        );
    }

    #[test]
    fn reads_damaged_bodies_like_reflection(
        choices in choices(),
        at in any::<prop::sample::Index>(),
        inserted in vec(prop::sample::select(b"\"\\{}[]:,0n \xff\x00".to_vec()), 0..3),
        removed in 0..4_usize,
    ) {
        let mut body = bodies::common::<ConversationRequestAlpha2>(&choices).into_bytes();
        let at = at.index(body.len());
        let end = body.len().min(at + removed);
        body.splice(at..end, inserted);
        check_reader::<ConversationRequestAlpha2>(&body);
        check_reader::<ConversationRequest>(&body);
    }

    #[test]
    fn reads_common_bodies_without_reflection(choices in choices()) {
        READERS.iter().for_each(|check| check(&choices));
    }

    #[test]
    fn writes_like_reflection(choices in choices()) {
        WRITERS.iter().for_each(|check| check(&choices));
    }
}

/// Reflection has a depth limit of its own, which the fast path must not exceed.
#[test]
fn leaves_deeply_nested_structs_to_reflection() {
    let body = |depth: usize, open: &str, close: &str| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        let schema = format!(r#"{{"a":{open}1{close}}}"#);
        format!(r#"{{"tools":[{{"function":{{"parameters":{schema}}}}}]}}"#)
    };
    for (open, close) in [(r#"{"a":"#, "}"), ("[", "]")] {
        let is_read = |depth| {
            let body = body(depth, open, close);
            let fast = fast_read::read::<ConversationRequestAlpha2>(body.as_bytes());
            let reflected = read::<ConversationRequestAlpha2>(body.as_bytes());
            (fast.is_ok(), reflected.is_ok())
        };
        assert_eq!(is_read(23), (true, true));
        assert_eq!(is_read(24), (false, true));
        assert_eq!(is_read(100), (false, true));
        assert_eq!(is_read(200), (false, false));
    }
}
