//! A participant or detector that panics ends its conversation only.

use futures_util::future::BoxFuture;
use mynah::simulate::{
    Conversation, ConversationResult, DetectorError, EndJudge, EndReason, Intent, IntentExtractor,
    MessageDraft, Outcome, OutcomeDetector, Outcomes, Participant, ParticipantError, Reply, Runner,
    RunnerSettings, Turn,
};

use super::{CUSTOMER, at_most, outcomes, talkative, talkative_runner};
use crate::simulate::texts;

/// Panics when it is asked.
struct Panics;

impl Participant for Panics {
    fn reply<'a>(&'a mut self, _: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        panic!("this panic is part of the test")
    }
}

impl OutcomeDetector for Panics {
    fn detect<'a>(
        &'a self,
        _: &'a Conversation,
        _: &'a [Intent],
        _: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>> {
        Box::pin(async { panic!("this panic is part of the test") })
    }
}

impl EndJudge for Panics {
    fn is_reached<'a>(
        &'a self,
        _: &'a Conversation,
        _: &'a [Intent],
    ) -> BoxFuture<'a, Result<bool, DetectorError>> {
        panic!("this panic is part of the test")
    }
}

impl IntentExtractor for Panics {
    fn extract<'a>(
        &'a self,
        _: &'a Conversation,
    ) -> BoxFuture<'a, Result<Option<Intent>, DetectorError>> {
        panic!("this panic is part of the test")
    }
}

async fn assert_ends(runner: Runner, reason: EndReason, who: &str, messages: &[&str]) {
    let result: ConversationResult = runner.run().await;
    assert_eq!(result.end_reason, reason, "{who}");
    assert_eq!(result.error, Some(format!("{who} panicked: this panic is part of the test")));
    assert_eq!(texts(&result.conversation), messages, "{who}");
}

#[tokio::test]
async fn a_panic_is_the_error_of_who_panicked() {
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let participant = EndReason::ParticipantError;
    let runner = Runner::new(talkative(CUSTOMER), Panics, initial);
    assert_ends(runner, participant, "agent:", &["C: initial"]).await;
    let detector = EndReason::DetectorError;
    let runner = talkative_runner().outcomes(outcomes()).detector(Panics);
    assert_ends(runner, detector, "the detector", &["C: initial", "A: a1"]).await;
    let mut settings: RunnerSettings = at_most(9);
    settings.end_on.judge = Some(std::sync::Arc::new(Panics));
    let runner = talkative_runner().settings(settings);
    assert_ends(runner, detector, "the judge", &["C: initial", "A: a1"]).await;
    let runner = talkative_runner().settings(at_most(2)).infer_intent(Panics);
    assert_ends(runner, detector, "the intent extractor", &["C: initial", "A: a1"]).await;
}
