//! Tests of turns: their order, passes and limits.

use std::sync::{Arc, Mutex};

use futures_util::{FutureExt, future};
use mynah::simulate::{
    Conversation, EndReason, MessageDraft, ParticipantError, ParticipantRole, Reply, Runner,
    SentMessage, Timestamp, participants::Script,
};

use super::{AGENT, CUSTOMER, at_most, script, talkative, talkative_runner};
use crate::simulate::{doubles::Replies, texts};

#[tokio::test]
async fn participants_alternate_until_the_maximum() {
    let result = talkative_runner().settings(at_most(4)).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial", "A: a1", "C: c1", "A: a2"]);
    assert_eq!(result.end_reason, EndReason::MaxMessages);
    assert_eq!(result.error, None);
}

#[tokio::test]
async fn the_initial_message_is_always_sent_and_counts() {
    for max_messages in [0, 1] {
        let unasked = || {
            Replies::new(|_, _| -> future::BoxFuture<'static, _> { panic!("must not be asked") })
        };
        let initial = MessageDraft::new(AGENT, "Hello!");
        let runner = Runner::new(unasked(), unasked(), initial).settings(at_most(max_messages));
        let result = runner.run().await;
        assert_eq!(texts(&result.conversation), ["A: Hello!"]);
        assert_eq!(result.end_reason, EndReason::MaxMessages);
    }
}

#[tokio::test]
async fn the_agent_may_start() {
    let customer = script(CUSTOMER, &["c1", "c2"]);
    let agent = script(AGENT, &["initial", "a1"]);
    let result = Runner::new(customer, agent, MessageDraft::new(AGENT, "initial")).run().await;
    let expected = ["A: initial", "C: c1", "A: a1", "C: c2"];
    assert_eq!(texts(&result.conversation), expected);
    assert_eq!(result.end_reason, EndReason::BothPassed);
}

/// Item 2 of the reference's tests, without its detector.
#[tokio::test]
async fn two_passes_in_a_row_end_the_conversation() {
    let customer = script(CUSTOMER, &["initial", "c1", "c2", "c3", "-"]);
    let agent = script(AGENT, &["a1", "a2", "a3", "-"]);
    let result = Runner::new(customer, agent, MessageDraft::new(CUSTOMER, "initial")).run().await;
    assert_eq!(result.conversation.messages.len(), 7);
    assert_eq!(result.end_reason, EndReason::BothPassed);
}

#[tokio::test]
async fn a_pass_gives_the_other_participant_another_turn() {
    let silent = script(CUSTOMER, &["initial"]);
    let agent = script(AGENT, &["a1", "a2", "a3"]);
    let result = Runner::new(silent, agent, MessageDraft::new(CUSTOMER, "initial")).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial", "A: a1", "A: a2", "A: a3"]);
    assert_eq!(result.end_reason, EndReason::BothPassed);
}

#[tokio::test]
async fn blank_messages_are_passes() {
    let agent = script(AGENT, &["", "  \n", "a1"]);
    let customer = script(CUSTOMER, &["initial", "c1", "c2"]);
    let result = Runner::new(customer, agent, MessageDraft::new(CUSTOMER, "initial")).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial", "C: c1", "C: c2", "A: a1"]);
}

/// Items 3 to 9 of the reference's tests: recorded conversations are split and played again.
#[tokio::test]
async fn replayed_sides_give_the_recorded_conversation() {
    let patterns = ["CAAC", "CACCA", "CACAC", "CAAAC", "CACAC", "CAC", "CACACCA", "ACCCA", "A"];
    for pattern in patterns {
        let recorded = recorded(pattern);
        let first = &recorded.messages[0];
        let initial = MessageDraft::new(first.sender, &first.content);
        let [customer, agent] = [CUSTOMER, AGENT].map(|role| Script::replay(role, &recorded));
        let runner = Runner::new(customer, agent, initial);
        let result = runner.settings(at_most(pattern.len() + 5)).run().await;
        assert_eq!(texts(&result.conversation), texts(&recorded), "{pattern}");
        assert_eq!(result.end_reason, EndReason::BothPassed);
    }
}

fn recorded(pattern: &str) -> Conversation {
    let messages = pattern.chars().enumerate().map(|(number, initial)| SentMessage {
        content: format!("message {number}"),
        timestamp: Timestamp::UNIX_EPOCH,
        sender: if initial == 'C' { CUSTOMER } else { AGENT },
        tool_calls: Vec::new(),
    });
    Conversation { messages: messages.collect(), ..Conversation::default() }
}

#[tokio::test]
async fn a_reply_may_have_several_messages() {
    let chatty = Replies::new(|turn, _| {
        let drafts = ["one", "", "two", "three"].map(|text| MessageDraft::new(AGENT, text));
        let reply = match turn.number {
            0 => Reply::Messages(Vec::new()),
            _ => Reply::Messages(drafts.into()),
        };
        future::ready(Ok(reply)).boxed()
    });
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let result = Runner::new(talkative(CUSTOMER), chatty, initial).settings(at_most(4)).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial", "C: c1", "A: one", "A: two"]);
    assert_eq!(result.end_reason, EndReason::MaxMessages);
}

#[tokio::test]
async fn the_sender_of_a_message_is_checked() {
    let impostor = Replies::new(|turn, _| {
        let sender = if turn.number == 0 { AGENT } else { CUSTOMER };
        future::ready(Ok(MessageDraft::new(sender, "hello").into())).boxed()
    });
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let result = Runner::new(talkative(CUSTOMER), impostor, initial).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial", "A: hello", "C: c1"]);
    assert_eq!(result.end_reason, EndReason::ParticipantError);
    let error = "agent: sent a message as customer; expected agent";
    assert_eq!(result.error.as_deref(), Some(error));
}

/// Item 15: the result keeps what was said before.
#[tokio::test]
async fn a_participant_that_fails_ends_the_conversation() {
    let failing = Replies::new(|turn, _| {
        let reply = match turn.number {
            0 => Ok(MessageDraft::new(AGENT, "hello").into()),
            _ => Err(ParticipantError::new("connection refused")),
        };
        future::ready(reply).boxed()
    });
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let result = Runner::new(talkative(CUSTOMER), failing, initial).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial", "A: hello", "C: c1"]);
    assert_eq!(result.end_reason, EndReason::ParticipantError);
    assert_eq!(result.error.as_deref(), Some("agent: connection refused"));
}

#[tokio::test]
async fn participants_know_the_conversation_and_the_number_of_their_turns() {
    let turns = Arc::new(Mutex::new(Vec::new()));
    let recorder = |role: ParticipantRole| {
        let turns = turns.clone();
        Replies::new(move |turn, _| {
            let id = turn.conversation_id;
            let turn =
                format!("{id} {role} {} of {}", turn.number, turn.conversation.messages.len());
            turns.lock().unwrap().push(turn);
            future::ready(Ok(MessageDraft::new(role, "hello").into())).boxed()
        })
    };
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let runner = Runner::new(recorder(CUSTOMER), recorder(AGENT), initial).id("refund-3");
    runner.settings(at_most(4)).run().await;
    let expected = ["refund-3 agent 0 of 1", "refund-3 customer 1 of 2", "refund-3 agent 1 of 3"];
    assert_eq!(*turns.lock().unwrap(), expected);
}
