//! Tests of intents.

use std::sync::{Arc, Mutex};

use futures_util::{FutureExt, future};
use mynah::simulate::{
    Detection, DetectorError, EndReason, Intent, MessageDraft, OutcomeDetector, ParticipantRole,
    Reply, Runner, RunnerSettings,
    detectors::{Condition, FirstDetector, RuleDetector},
};

use super::{AGENT, CUSTOMER, at_most, outcomes, resolved, talkative_runner};
use crate::simulate::doubles::{AlwaysExtracts, DetectsAt, NeverExtracts, Replies};

#[tokio::test]
async fn participants_are_told_their_intents() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let recorder = |role: ParticipantRole| {
        let told = told.clone();
        Replies::new(move |_, intents| {
            let own: Vec<_> = intents.iter().map(|intent| intent.description.clone()).collect();
            told.lock().unwrap().push(format!("{role}: {}", own.join(", ")));
            future::ready(Ok(Reply::Pass)).boxed()
        })
    };
    let intents = vec![
        Intent::new(CUSTOMER, "cancel the order"),
        Intent::new(AGENT, "sell a subscription"),
        Intent::new(CUSTOMER, "get a refund"),
    ];
    let initial = MessageDraft::new(CUSTOMER, "initial");
    let runner = Runner::new(recorder(CUSTOMER), recorder(AGENT), initial);
    let result = runner.intents(intents.clone()).run().await;
    let expected = ["agent: sell a subscription", "customer: cancel the order, get a refund"];
    assert_eq!(*told.lock().unwrap(), expected);
    assert_eq!(result.intents, intents);
}

#[tokio::test]
async fn a_missing_intent_is_inferred() {
    let intent = Intent::new(CUSTOMER, "get a refund");
    let given = Intent::new(CUSTOMER, "cancel the order");
    let run = |intents: Vec<Intent>, inferred| {
        let runner = talkative_runner().intents(intents).infer_intent(AlwaysExtracts(inferred));
        runner.settings(at_most(3)).run()
    };
    assert_eq!(run(vec![], Ok(Some(intent.clone()))).await.intents, std::slice::from_ref(&intent));
    assert_eq!(run(vec![], Ok(None)).await.intents, []);
    assert_eq!(run(vec![given.clone()], Ok(Some(intent))).await.intents, [given]);
    let result = run(vec![], Err(DetectorError::new("no answer"))).await;
    assert_eq!(result.end_reason, EndReason::DetectorError);
    assert_eq!(result.conversation.messages.len(), 3);
}

/// Models answer the question, so it is asked as rarely as possible.
#[tokio::test]
async fn the_intent_is_inferred_once_at_the_end() {
    let refund = || RuleDetector::new("resolved", Condition::contains("refund"));
    let detectors: [(Arc<dyn OutcomeDetector>, &[usize]); 3] = [
        (Arc::new(refund()), &[5]),
        (Arc::new(FirstDetector::new(vec![Arc::new(refund())])), &[5]),
        (Arc::new(DetectsAt::new(9, resolved())), &[2, 5]),
    ];
    for (detector, expected) in detectors {
        for (detection, expected) in [(Detection::Each, expected), (Detection::End, &[5])] {
            let extractor = NeverExtracts::default();
            let settings = RunnerSettings { detection, ..at_most(5) };
            let runner = talkative_runner().detector(detector.clone()).outcomes(outcomes());
            runner.infer_intent(extractor.clone()).settings(settings).run().await;
            assert_eq!(*extractor.0.lock().unwrap(), expected, "{detection:?}");
        }
    }
}
