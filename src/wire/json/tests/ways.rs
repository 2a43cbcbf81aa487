//! The fast way does what the exact way does, or leaves it to it.

use proptest::{collection::vec, prelude::*};
use prost::{Message, Name};

use super::written;
use crate::wire::{
    json::{Fields, Members, printing, read, read_request, reading, write, write_response},
    proto::*,
};

/// Each message by itself, too, since few bodies have all of them.
const READ: [fn(&[u8]); 15] = [
    check_regular::<ConversationRequest>,
    check_regular::<ConversationInput>,
    check_regular::<ConversationRequestAlpha2>,
    check_regular::<ConversationInputAlpha2>,
    check_regular::<ConversationMessage>,
    check_regular::<ConversationMessageOfDeveloper>,
    check_regular::<ConversationMessageOfSystem>,
    check_regular::<ConversationMessageOfUser>,
    check_regular::<ConversationMessageOfAssistant>,
    check_regular::<ConversationMessageOfTool>,
    check_regular::<ConversationMessageContent>,
    check_regular::<ConversationToolCalls>,
    check_regular::<ConversationToolCallsOfFunction>,
    check_regular::<ConversationTools>,
    check_regular::<ConversationToolsFunction>,
];
const PRINTED: [fn(&[u8]); 9] = [
    check_printing::<ConversationResponse>,
    check_printing::<ConversationResponseAlpha2>,
    check_printing::<ConversationStreamResponse>,
    check_printing::<ConversationStreamResponseAlpha2>,
    check_printing::<ConversationToolCallsOfFunction>,
    check_printing::<ConversationResultAlpha2CompletionUsage>,
    check_printing::<ConversationResultAlpha2CompletionUsageCompletionTokensDetails>,
    check_printing::<ConversationResultAlpha2CompletionUsagePromptTokensDetails>,
    check_printing::<ConversationStreamUsage>,
];

fn choices() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..300)
}

/// By their bytes, since a request may hold a NaN.
fn encoded<M: Message, E>(message: Result<M, E>) -> Result<Vec<u8>, E> {
    message.map(|message| message.encode_to_vec())
}

fn check_reading<M: Message + Name + Fields>(body: &[u8]) {
    let exact = encoded(read::<M>(body));
    if let Ok(fast) = encoded(reading::read::<M>(body)) {
        assert_eq!(Ok(fast), exact);
    }
    assert_eq!(encoded(read_request::<M>(body)), exact);
}

fn check_regular<M: Message + Name + Fields>(choices: &[u8]) {
    let body = written::body::<M>(choices, true);
    let fast = encoded(reading::read::<M>(body.as_bytes())).expect(&body);
    assert_eq!(Ok(fast), encoded(read::<M>(body.as_bytes())), "{body}");
}

fn check_printing<M: Message + Name + Default + Members>(choices: &[u8]) {
    for regular in [true, false] {
        let body = written::body::<M>(choices, regular);
        let Ok(message) = read::<M>(body.as_bytes()) else { continue };
        let (fast, exact) = (printing::write(&message), write(&message));
        assert!(fast.is_ok() || !regular, "{body}");
        if let Ok(json) = fast {
            assert_eq!(Ok(json), exact);
        }
        assert_eq!(write_response(&message), exact);
    }
}

proptest! {
    #[test]
    fn both_read_the_same(choices in choices()) {
        check_reading::<ConversationRequest>(
            written::body::<ConversationRequest>(&choices, false).as_bytes(),
        );
        check_reading::<ConversationRequestAlpha2>(
            written::body::<ConversationRequestAlpha2>(&choices, false).as_bytes(),
        );
    }

    #[test]
    fn both_read_the_same_of_what_is_broken(
        choices in choices(),
        at in any::<prop::sample::Index>(),
        piece in vec(prop::sample::select(b"\"\\{}[]:,0n \xff\x00".to_vec()), 0..3),
        cut in 0..4_usize,
    ) {
        let mut body = written::body::<ConversationRequestAlpha2>(&choices, true).into_bytes();
        let at = at.index(body.len());
        let end = body.len().min(at + cut);
        body.splice(at..end, piece);
        check_reading::<ConversationRequestAlpha2>(&body);
        check_reading::<ConversationRequest>(&body);
    }

    #[test]
    fn what_is_regular_is_read_the_fast_way(choices in choices()) {
        READ.iter().for_each(|check| check(&choices));
    }

    #[test]
    fn both_print_the_same(choices in choices()) {
        PRINTED.iter().for_each(|check| check(&choices));
    }
}

/// The exact way reads deeper structs than the fast way, which must not read deeper ones than that.
#[test]
fn what_nests_deeply_is_left_to_the_exact_way() {
    let body = |depth: usize, open: &str, close: &str| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        let schema = format!(r#"{{"a":{open}1{close}}}"#);
        format!(r#"{{"tools":[{{"function":{{"parameters":{schema}}}}}]}}"#)
    };
    for (open, close) in [(r#"{"a":"#, "}"), ("[", "]")] {
        let fast = |depth| {
            reading::read::<ConversationRequestAlpha2>(body(depth, open, close).as_bytes()).is_ok()
        };
        let exact =
            |depth| read::<ConversationRequestAlpha2>(body(depth, open, close).as_bytes()).is_ok();
        assert!(fast(23) && exact(23));
        assert!(!fast(24) && exact(24));
        assert!(!fast(60) && !exact(60));
    }
}
