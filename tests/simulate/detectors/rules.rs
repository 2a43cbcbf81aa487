//! Tests of detectors with conditions.

use std::sync::{Arc, atomic::Ordering};

use mynah::simulate::{
    DetectorError, MadeCall, Outcome, OutcomeDetector, ParticipantRole, Pattern, UnsentCall,
    detectors::{Condition, FirstDetector, GuardedDetector, RuleDetector},
};
use serde_json::{Value, json};

use super::{conversation, outcomes};
use crate::simulate::doubles::DetectsAt;

fn condition(source: Value) -> Condition {
    serde_json::from_value(source).unwrap()
}

#[test]
fn conditions_hold_for_a_message_after_the_initial_one() {
    let conversation = conversation(&[
        "C: Thanks in advance",
        "A: Let me see [find_order]",
        "C: The number is 1001",
        "A: A supervisor takes over [escalate]",
        "C: thanks, goodbye",
    ]);
    let cases = [
        (json!({"content": "goodbye"}), true),
        (json!({"content": "Thanks"}), false),
        (json!({"content": {"contains": "Thanks", "ignore_case": true}}), true),
        (json!({"content": {"matches": r"\b\d{4}\b"}}), true),
        (json!({"content": "goodbye", "sender": "customer"}), true),
        (json!({"content": "goodbye", "sender": "agent"}), false),
        (json!({"sender": "agent"}), true),
        (json!({"tool_called": "escalate"}), true),
        (json!({"tool_called": "escal"}), false),
        (json!({"tool_called": "escalate", "sender": "customer"}), false),
        (json!({"tool_called": "escalate", "content": "Let me"}), false),
        (json!({"any": [{"content": "refund"}, {"tool_called": "find_order"}]}), true),
        (json!({"any": [{"content": "refund"}, {"tool_called": "refund"}]}), false),
        (json!({"all": [{"content": "goodbye"}, {"tool_called": "find_order"}]}), true),
        (json!({"all": [{"content": "goodbye"}, {"tool_called": "refund"}]}), false),
        (json!({"not": {"tool_called": "escalate"}}), false),
        (json!({"not": {"tool_called": "refund"}}), true),
        (json!({"content": "goodbye", "not": {"tool_called": "refund"}}), true),
        (json!({"content": "goodbye", "not": {"tool_called": "escalate"}}), false),
    ];
    for (source, expected) in cases {
        assert_eq!(condition(source.clone()).holds(&conversation), expected, "{source}");
    }
}

#[test]
fn conditions_hold_for_calls_without_a_message() {
    let mut conversation = conversation(&["C: hello", "A: hello"]);
    let call = MadeCall {
        name: "escalate".to_owned(),
        arguments: "{}".to_owned(),
        result: "ok".to_owned(),
    };
    let unsent = UnsentCall { sender: ParticipantRole::Agent, messages_before: 2, call };
    conversation.unsent_calls.push(unsent);
    let cases = [
        (json!({"tool_called": "escalate"}), true),
        (json!({"tool_called": "escalate", "sender": "agent"}), true),
        (json!({"tool_called": "escalate", "sender": "customer"}), false),
        (json!({"tool_called": "escalate", "content": "hello"}), false),
        (json!({"tool_called": "refund"}), false),
        (json!({"sender": "customer"}), false),
    ];
    for (source, expected) in cases {
        assert_eq!(condition(source.clone()).holds(&conversation), expected, "{source}");
    }
}

#[test]
fn conditions_can_be_built() {
    let conversation = conversation(&["C: hello", "A: hello, thanks [find_order]"]);
    let thanks = Condition::matches(Pattern::new("(?i)THANKS").unwrap());
    assert!(thanks.clone().by(ParticipantRole::Agent).holds(&conversation));
    assert!(!thanks.clone().by(ParticipantRole::Customer).holds(&conversation));
    let refund = Condition::contains("refund");
    assert!(Condition::any(vec![refund.clone(), thanks.clone()]).holds(&conversation));
    assert!(!Condition::all(vec![refund.clone(), thanks]).holds(&conversation));
    let called = Condition::tool_called("find_order");
    assert!(Condition::all(vec![Condition::not(refund), called]).holds(&conversation));
}

#[test]
fn invalid_conditions_are_rejected() {
    let error =
        |source: Value| serde_json::from_value::<Condition>(source).unwrap_err().to_string();
    let sources = [
        json!({}),
        json!({"any": []}),
        json!({"all": []}),
        json!({"not": {}}),
        json!({"sender": "Agent"}),
        json!({"sender": "agent", "text": "hello"}),
        json!({"content": {}}),
    ];
    insta::assert_snapshot!(sources.map(error).join("\n"), @"
    the condition is empty; expected one of sender, content, tool_called, any, all and not
    `any` is empty; expected at least one condition
    `all` is empty; expected at least one condition
    the condition is empty; expected one of sender, content, tool_called, any, all and not
    unknown variant `Agent`, expected `customer` or `agent`
    unknown field `text`, expected one of `sender`, `content`, `tool_called`, `any`, `all`, `not`
    the condition is empty; expected one of equals, contains, starts_with, ends_with, matches, longer_than, shorter_than
    ");
}

#[tokio::test]
async fn a_rule_detects_its_outcome() {
    let rule = |outcome| RuleDetector::new(outcome, condition(json!({"content": "thanks"})));
    let detect = async |rule: RuleDetector, messages: &[&str]| {
        rule.detect(&conversation(messages), &[], &outcomes()).await
    };
    let detected = detect(rule("resolved"), &["C: hello", "A: thanks"]).await;
    assert_eq!(detected, Ok(Some(Outcome::new("resolved", "The issue was resolved"))));
    assert_eq!(detect(rule("resolved"), &["C: thanks"]).await, Ok(None));
    let detected = detect(rule("Resolved"), &["C: hello", "A: thanks"]).await;
    assert_eq!(detected, Err(DetectorError::new(r#"the outcome "Resolved" is not declared"#)));
}

#[tokio::test]
async fn the_first_detector_that_finds_an_outcome_decides() {
    let resolved = DetectsAt::new(2, Outcome::new("resolved", ""));
    let escalated = DetectsAt::new(1, Outcome::new("escalated", ""));
    let detector = FirstDetector::new(vec![Arc::new(resolved), Arc::new(escalated.clone())]);
    let detect = async |messages: &[&str]| {
        let detected = detector.detect(&conversation(messages), &[], &outcomes()).await;
        detected.unwrap().map(|outcome| outcome.name)
    };
    assert_eq!(detect(&["C: hello", "A: hello"]).await.as_deref(), Some("resolved"));
    assert_eq!(escalated.calls.load(Ordering::Relaxed), 0);
    assert_eq!(detect(&["C: hello"]).await.as_deref(), Some("escalated"));
    assert_eq!(
        FirstDetector::default().detect(&conversation(&[]), &[], &outcomes()).await,
        Ok(None)
    );
}

#[tokio::test]
async fn a_guarded_detector_is_asked_only_if_the_condition_holds() {
    let inner = DetectsAt::new(0, Outcome::new("resolved", ""));
    let detector = GuardedDetector::new(condition(json!({"content": "thanks"})), inner.clone());
    for (text, calls) in [("A: hello", 0), ("A: thanks", 1)] {
        let conversation = conversation(&["C: hello", text]);
        let detected = detector.detect(&conversation, &[], &outcomes()).await.unwrap();
        assert_eq!((detected.is_some(), inner.calls()), (calls == 1, calls));
    }
}
