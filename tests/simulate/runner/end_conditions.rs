//! Tests of the conditions that end conversations.

use std::{sync::Arc, time::Duration};

use mynah::simulate::{
    EndConditions, EndReason, MessageDraft, Pattern, Runner, RunnerSettings,
    participants::{Script, ScriptStep, Typing},
};

use super::{AGENT, CUSTOMER, outcomes, resolved, script, talkative, talkative_runner};
use crate::simulate::{doubles::DetectsAt, texts};

fn end_on(end_on: EndConditions) -> RunnerSettings {
    RunnerSettings { end_on, ..RunnerSettings::default() }
}

#[tokio::test]
async fn a_pattern_ends_the_conversation() {
    let patterns = vec![Pattern::new(r"(?i)\bgoodbye\b").unwrap(), Pattern::new("^bye").unwrap()];
    let settings = end_on(EndConditions { patterns, ..EndConditions::default() });
    let agent = script(AGENT, &["a1", "Have a nice day. Goodbye!", "a3"]);
    // The initial message is not checked.
    let initial = MessageDraft::new(CUSTOMER, "goodbye");
    let result = Runner::new(talkative(CUSTOMER), agent, initial).settings(settings).run().await;
    let expected = ["C: goodbye", "A: a1", "C: c1", "A: Have a nice day. Goodbye!"];
    assert_eq!(texts(&result.conversation), expected);
    assert_eq!(result.end_reason, EndReason::Pattern);
}

#[tokio::test]
async fn judges_end_the_conversation() {
    let judge = Some(Arc::new(DetectsAt::new(3, resolved())) as _);
    let judged = EndConditions { judge: judge.clone(), ..EndConditions::default() };
    let goal = EndConditions { goal: judge, ..EndConditions::default() };
    for (conditions, end) in [(judged, EndReason::Judged), (goal, EndReason::Goal)] {
        let result = talkative_runner().settings(end_on(conditions)).run().await;
        assert_eq!((result.conversation.messages.len(), result.end_reason), (3, end));
    }
}

#[tokio::test]
async fn a_judge_that_fails_ends_the_conversation() {
    let judge = Some(Arc::new(DetectsAt::failing(2, "no answer")) as _);
    let judged = EndConditions { judge: judge.clone(), ..EndConditions::default() };
    let goal = EndConditions { goal: judge, ..EndConditions::default() };
    for conditions in [judged, goal] {
        let result = talkative_runner().settings(end_on(conditions)).run().await;
        assert_eq!(result.end_reason, EndReason::DetectorError);
        assert_eq!(result.error.as_deref(), Some("no answer"));
    }
}

/// The outcome of the message that ends the conversation is detected.
#[tokio::test]
async fn an_outcome_is_detected_before_the_conversation_ends() {
    let patterns = vec![Pattern::new("a1").unwrap()];
    for (after, end) in [(0, EndReason::Outcome), (5, EndReason::Pattern)] {
        let end_on = EndConditions { patterns: patterns.clone(), ..EndConditions::default() };
        let settings = RunnerSettings {
            end_on,
            max_messages_after_outcome: after,
            ..RunnerSettings::default()
        };
        let runner = talkative_runner().outcomes(outcomes()).settings(settings);
        let result = runner.detector(DetectsAt::new(2, resolved())).run().await;
        assert_eq!((result.end_reason, result.outcome_name()), (end, Some("resolved")));
    }
}

#[tokio::test]
async fn a_message_that_takes_too_long_ends_the_conversation() {
    let timeout = Some(Duration::from_secs(60));
    let settings = end_on(EndConditions { timeout, ..EndConditions::default() });
    let late = ScriptStep::Say { text: "late".to_owned(), delay: Duration::from_secs(60) };
    let agent = Typing::new(
        Script::new(AGENT, [ScriptStep::say("1234567890"), late]),
        Duration::from_secs(6),
    );
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let result = Runner::new(talkative(CUSTOMER), agent, initial).settings(settings).run().await;
    assert_eq!(texts(&result.conversation), ["C: initial", "A: 1234567890", "C: c1"]);
    assert_eq!(result.end_reason, EndReason::Timeout);
    assert_eq!(result.duration, Duration::from_secs(60));
}
