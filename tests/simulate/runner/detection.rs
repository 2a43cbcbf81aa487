//! Tests of the detection of outcomes.

use mynah::simulate::{
    ConversationResult, Detection, EndReason, MessageDraft, Outcome, Outcomes, Runner,
    RunnerSettings,
};

use super::{AGENT, CUSTOMER, at_most, outcomes, resolved, script, talkative_runner};
use crate::simulate::{doubles::DetectsAt, texts};

fn after_outcome(messages: usize) -> RunnerSettings {
    RunnerSettings { max_messages_after_outcome: messages, ..RunnerSettings::default() }
}

fn at_end() -> RunnerSettings {
    RunnerSettings { detection: Detection::End, ..at_most(4) }
}

fn summary(result: &ConversationResult) -> (usize, EndReason, Option<&str>) {
    (result.conversation.messages.len(), result.end_reason, result.outcome_name())
}

/// The table of item 14: the detector fires at a number of messages, some messages may follow.
#[tokio::test]
async fn messages_may_follow_an_outcome() {
    let cases = [
        (3, 2, 5, EndReason::OutcomeFollowup),
        (2, 0, 2, EndReason::Outcome),
        (2, 1, 3, EndReason::OutcomeFollowup),
        // The initial message is never tested.
        (1, 0, 2, EndReason::Outcome),
        (2, 5, 7, EndReason::OutcomeFollowup),
    ];
    for (detected_at, after, messages, end) in cases {
        let detector = DetectsAt::new(detected_at, resolved());
        let runner = talkative_runner().outcomes(outcomes()).detector(detector.clone());
        let result = runner.settings(after_outcome(after)).run().await;
        let expected = (messages, end, Some("resolved"));
        assert_eq!(summary(&result), expected, "detected at {detected_at}, {after} after");
        // The detector is not called again.
        assert_eq!(detector.calls(), detected_at.max(2) - 1);
    }
}

#[tokio::test]
async fn passes_do_not_count_after_an_outcome_and_still_end_the_conversation() {
    let run = |customer: &'static [&str], agent: &'static [&str]| {
        let initial = MessageDraft::new(CUSTOMER, "initial");
        let runner = Runner::new(script(CUSTOMER, customer), script(AGENT, agent), initial);
        let detector = DetectsAt::new(2, resolved());
        runner.outcomes(outcomes()).detector(detector).settings(after_outcome(2)).run()
    };
    let result = run(&["initial"], &["a1", "a2", "a3", "a4"]).await;
    assert_eq!(texts(&result.conversation), ["C: initial", "A: a1", "A: a2", "A: a3"]);
    assert_eq!(result.end_reason, EndReason::OutcomeFollowup);
    let result = run(&["initial"], &["a1", "a2"]).await;
    assert_eq!(summary(&result), (3, EndReason::BothPassed, Some("resolved")));
}

#[tokio::test]
async fn the_maximum_still_ends_the_conversation_after_an_outcome() {
    for (max_messages, end) in [(2, EndReason::MaxMessages), (4, EndReason::OutcomeFollowup)] {
        let detector = DetectsAt::new(2, resolved());
        let settings = RunnerSettings { max_messages, ..after_outcome(2) };
        let runner = talkative_runner().outcomes(outcomes()).detector(detector);
        let result = runner.settings(settings).run().await;
        assert_eq!(summary(&result), (max_messages, end, Some("resolved")));
    }
}

#[tokio::test]
async fn a_single_message_is_not_tested() {
    let detector = DetectsAt::new(0, resolved());
    let runner = talkative_runner().outcomes(outcomes()).detector(detector.clone());
    let result = runner.settings(at_most(1)).run().await;
    assert_eq!(summary(&result), (1, EndReason::MaxMessages, None));
    assert_eq!(detector.calls(), 0);
}

/// Item 8.
#[tokio::test]
async fn detection_at_the_end_runs_once_on_the_whole_conversation() {
    for (max_messages, found) in [(1, None), (4, Some("resolved"))] {
        let detector = DetectsAt::new(2, resolved());
        let settings = RunnerSettings { max_messages, ..at_end() };
        let runner = talkative_runner().outcomes(outcomes()).detector(detector.clone());
        let result = runner.settings(settings).run().await;
        assert_eq!(summary(&result), (max_messages, EndReason::MaxMessages, found));
        assert_eq!(detector.calls(), 1);
    }
}

#[tokio::test]
async fn a_detector_that_fails_ends_the_conversation() {
    for (settings, messages) in [(RunnerSettings::default(), 3), (at_end(), 4)] {
        let detector = DetectsAt::failing(3, "the model is overloaded");
        let runner = talkative_runner().outcomes(outcomes()).detector(detector);
        let result = runner.settings(settings).run().await;
        assert_eq!(summary(&result), (messages, EndReason::DetectorError, None));
        assert_eq!(result.error.as_deref(), Some("the model is overloaded"));
    }
}

#[tokio::test]
async fn the_outcome_must_be_declared() {
    let run = |outcomes: Outcomes| {
        let detector = DetectsAt::new(2, Outcome::new("Resolved", "Upper case"));
        talkative_runner().outcomes(outcomes).detector(detector).run()
    };
    let result = run(outcomes()).await;
    assert_eq!(summary(&result), (2, EndReason::DetectorError, None));
    let error = r#"the outcome "Resolved" is not declared; declared: "resolved", "escalated""#;
    assert_eq!(result.error.as_deref(), Some(error));
    let error = run(Outcomes::default()).await.error.unwrap();
    assert_eq!(error, r#"the outcome "Resolved" is not declared; declared: none"#);
}
