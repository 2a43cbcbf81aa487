//! Tests of virtual time and of the real time limit.

use std::{pin::pin, sync::Arc, time::Duration};

use futures_util::{FutureExt, future, poll};
use mynah::simulate::{
    BaseTimestamp, Clock, EndConditions, EndReason, MessageDraft, ParticipantError, Reply, Runner,
    RunnerSettings, Timestamp,
    participants::{ModelParticipant, Script, Typing},
};

use super::{AGENT, CUSTOMER, at_most, talkative, talkative_runner};
use crate::simulate::{
    doubles::{NeverAnswers, Replies},
    texts,
};

#[tokio::test]
async fn timestamps_are_virtual() {
    let customer = Script::of_texts(CUSTOMER, ["Hi", "12345"]);
    let agent = Typing::new(Script::of_texts(AGENT, ["äöü", "12"]), Duration::from_millis(30));
    let runner = Runner::new(customer, agent, MessageDraft::new(CUSTOMER, "Hi")).run();
    let result = runner.await;
    let times = result.conversation.messages.iter().map(|message| message.timestamp.to_string());
    let expected = [
        "2000-01-01T00:00:00Z",
        "2000-01-01T00:00:00.09Z",
        "2000-01-01T00:00:00.09Z",
        "2000-01-01T00:00:00.15Z",
    ];
    assert_eq!(times.collect::<Vec<_>>(), expected);
    assert_eq!(result.duration, Duration::from_millis(150));
}

#[tokio::test]
async fn the_base_timestamp_can_be_set() {
    let at = |base_timestamp| {
        let settings = RunnerSettings { base_timestamp, ..at_most(1) };
        async move {
            let result = talkative_runner().settings(settings).run().await;
            result.conversation.messages[0].timestamp
        }
    };
    let time: Timestamp = "2025-06-01T12:00:00Z".parse().unwrap();
    assert_eq!(at(BaseTimestamp::At(time)).await, time);
    assert!(at(BaseTimestamp::Now).await > time);
    // The end of time is not a problem.
    let late = RunnerSettings { base_timestamp: BaseTimestamp::At(Timestamp::MAX), ..at_most(9) };
    let agent = Typing::new(talkative(AGENT), Duration::MAX);
    let runner = Runner::new(talkative(CUSTOMER), agent, MessageDraft::new(CUSTOMER, "initial"));
    let result = runner.settings(late).run().await;
    assert_eq!(result.conversation.messages.len(), 9);
}

/// Returns an agent that never replies.
fn silent(is_external: bool) -> impl mynah::simulate::Participant {
    let silent = Replies::new(|_, _| future::pending::<Result<Reply, ParticipantError>>().boxed());
    silent.external(is_external)
}

#[tokio::test(start_paused = true)]
async fn the_turns_of_external_participants_are_limited() {
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let result = Runner::new(talkative(CUSTOMER), silent(true), initial).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial"]);
    assert_eq!(result.end_reason, EndReason::ParticipantError);
    assert_eq!(result.error.as_deref(), Some("agent: no reply within 30s"));
}

#[tokio::test(start_paused = true)]
async fn the_turns_of_other_participants_are_not_limited() {
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let mut run = pin!(Runner::new(talkative(CUSTOMER), silent(false), initial).run());
    assert!(poll!(&mut run).is_pending());
    tokio::time::advance(Duration::from_secs(1_000_000)).await;
    assert!(poll!(&mut run).is_pending());
}

#[tokio::test(start_paused = true)]
async fn external_participants_follow_the_real_clock() {
    let run = async |is_external, clock| {
        let agent =
            Replies::new(|_, _| future::ready(Ok(MessageDraft::new(AGENT, "1234").into())).boxed());
        let agent = Typing::new(agent.external(is_external), Duration::from_secs(1));
        let settings = RunnerSettings { clock, ..at_most(3) };
        let initial = MessageDraft::new(CUSTOMER, "initial");
        let mut runner = Runner::new(talkative(CUSTOMER), agent, initial).settings(settings);
        let observer = runner.observer();
        (runner.run().await, observer.progress().elapsed_seconds.round())
    };
    let base: Timestamp = "2000-01-01T00:00:00Z".parse().unwrap();
    let cases = [
        (false, None, Clock::Virtual),
        (true, None, Clock::Real),
        (true, Some(Clock::Virtual), Clock::Virtual),
        (false, Some(Clock::Real), Clock::Real),
    ];
    for (is_external, clock, expected) in cases {
        let (result, waited) = run(is_external, clock).await;
        assert_eq!((result.clock, result.duration.as_secs()), (expected, 4));
        let is_real = expected == Clock::Real;
        assert_eq!(waited, if is_real { 4.0 } else { 0.0 });
        assert_eq!(result.conversation.messages[0].timestamp != base, is_real);
    }
}

/// Silence may last as long as a limit in real time, even if participants pass in between.
#[tokio::test(start_paused = true)]
async fn silence_in_real_time_ends_the_conversation() {
    let timeout = Some(Duration::from_secs(10));
    let end_on = EndConditions { timeout, ..EndConditions::default() };
    let settings = RunnerSettings { end_on, ..at_most(9) };
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let runner = Runner::new(talkative(CUSTOMER), silent(true), initial).settings(settings);
    let result = runner.run().await;
    assert_eq!(texts(&result.conversation), ["C: initial"]);
    assert_eq!((result.end_reason, result.error), (EndReason::Timeout, None));
}

/// The limits of the tool loop, which are for other callers, do not apply.
#[tokio::test(start_paused = true)]
async fn the_turns_of_external_models_have_only_the_limit_of_the_runner() {
    let limit = Duration::from_secs(60 * 60);
    let agent = ModelParticipant::new(AGENT, Arc::new(NeverAnswers)).external(true);
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let settings = RunnerSettings { message_timeout: limit, ..at_most(9) };
    let runner = Runner::new(talkative(CUSTOMER), agent, initial).settings(settings);
    let result = runner.run().await;
    assert_eq!(result.end_reason, EndReason::ParticipantError);
    assert_eq!(result.error.as_deref(), Some("agent: no reply within 3600s"));
}
