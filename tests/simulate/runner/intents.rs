//! Tests of intents.

use std::sync::{Arc, Mutex};

use futures_util::{FutureExt, future};
use mynah::simulate::{
    DetectorError, EndReason, Intent, MessageDraft, ParticipantRole, Reply, Runner,
};

use super::{AGENT, CUSTOMER, at_most, talkative_runner};
use crate::simulate::doubles::{AlwaysExtracts, Replies};

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
