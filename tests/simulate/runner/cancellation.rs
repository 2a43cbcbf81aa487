//! Tests of cancellation.

use futures_util::{FutureExt, future};
use mynah::{
    simulate::{EndReason, Event, MessageDraft, Runner},
    tool_loop::CancellationToken,
};

use super::{AGENT, CUSTOMER, talkative, talkative_runner};
use crate::simulate::{doubles::Replies, texts};

#[tokio::test]
async fn cancellation_ends_a_turn_that_is_in_progress() {
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let waiting = Replies::new(move |turn, _| match turn.number {
        0 => future::ready(Ok(MessageDraft::new(AGENT, "hello").into())).boxed(),
        _ => {
            token.cancel();
            future::pending().boxed()
        }
    });
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let result = Runner::new(talkative(CUSTOMER), waiting, initial).cancel_with(cancel).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial", "A: hello", "C: c1"]);
    assert_eq!(result.end_reason, EndReason::Cancelled);
    assert_eq!(result.error, None);
}

#[tokio::test]
async fn cancellation_ends_a_conversation_that_never_waits() {
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let runner = talkative_runner().cancel_with(cancel).on_event(move |event, _, progress| {
        if event == Event::MessageAdded && progress.message_count == 5 {
            token.cancel();
        }
    });
    let result = runner.run().await;
    assert_eq!((result.conversation.messages.len(), result.end_reason), (5, EndReason::Cancelled));
}

#[tokio::test]
async fn a_run_that_is_cancelled_before_its_start_has_no_messages() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let result = talkative_runner().cancel_with(cancel).run().await;
    assert_eq!((result.conversation.messages.len(), result.end_reason), (0, EndReason::Cancelled));
}
