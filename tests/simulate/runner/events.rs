//! Tests of events and progress.

use std::sync::{Arc, Mutex};

use futures_util::{FutureExt, future};
use mynah::simulate::{EndReason, Event, MessageDraft, Progress, Runner, RunnerSettings};
use serde_json::json;

use super::{AGENT, CUSTOMER, at_most, outcomes, resolved, talkative, talkative_runner};
use crate::simulate::doubles::{DetectsAt, Replies};

/// Items 12 to 14 of the reference's tests.
#[tokio::test]
async fn each_event_is_reported_once() {
    let cases = [
        (
            3,
            2,
            vec!["message 1", "message 2", "message 3", "resolved", "message 4", "message 5"],
            EndReason::OutcomeFollowup,
        ),
        (2, 0, vec!["message 1", "message 2", "resolved"], EndReason::Outcome),
        (
            9,
            0,
            vec!["message 1", "message 2", "message 3", "message 4", "message 5"],
            EndReason::MaxMessages,
        ),
    ];
    for (detected_at, max_messages_after_outcome, expected, end) in cases {
        let events = Arc::new(Mutex::new(Vec::new()));
        let seen = events.clone();
        let settings = RunnerSettings { max_messages_after_outcome, ..at_most(5) };
        let runner = talkative_runner().outcomes(outcomes()).settings(settings);
        let runner = runner.detector(DetectsAt::new(detected_at, resolved())).on_event(
            move |event, conversation, progress| {
                assert_eq!(progress.message_count, conversation.messages.len());
                let is_end = matches!(event, Event::ConversationEnded(_));
                assert_eq!(progress.is_complete, is_end);
                seen.lock().unwrap().push(match event {
                    Event::MessageAdded => format!("message {}", progress.message_count),
                    Event::OutcomeDetected => progress.outcome.clone().unwrap(),
                    Event::ConversationEnded(reason) => reason.to_string(),
                });
            },
        );
        runner.run().await;
        let expected: Vec<_> = expected.into_iter().chain([end.as_str()]).collect();
        assert_eq!(*events.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn observers_read_the_running_conversation() {
    let (asked, mut turns) = tokio::sync::mpsc::unbounded_channel();
    let waiting = Replies::new(move |turn, _| {
        asked.send(turn.number).unwrap();
        match turn.number {
            0 => future::ready(Ok(MessageDraft::new(AGENT, "hello").into())).boxed(),
            _ => future::pending().boxed(),
        }
    });
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let mut runner = Runner::new(talkative(CUSTOMER), waiting, initial);
    let observer = runner.observer();
    let runner = runner.settings(at_most(50)).outcomes(outcomes());
    let runner = runner.detector(DetectsAt::new(2, resolved()));
    assert_eq!(observer.progress().elapsed_seconds, 0.0);
    let run = tokio::spawn(runner.run());
    while turns.recv().await != Some(1) {}
    assert_eq!(observer.conversation().messages.len(), 3);
    assert!(!observer.is_complete());
    let progress = Progress { elapsed_seconds: 0.5, ..observer.progress() };
    let expected = json!({
        "message_count": 3,
        "max_messages": 50,
        "is_complete": false,
        "outcome": "resolved",
        "elapsed_seconds": 0.5,
    });
    assert_eq!(serde_json::to_value(progress).unwrap(), expected);
    run.abort();
}

#[tokio::test]
async fn observers_see_the_end() {
    let mut runner = talkative_runner().settings(at_most(3));
    let observer = runner.observer();
    assert_eq!(observer.progress().max_messages, 3);
    let result = runner.run().await;
    assert!(observer.is_complete() && observer.progress().is_complete);
    assert_eq!(observer.conversation(), result.conversation);
}
