//! The detectors of a plan.

use std::sync::Arc;

use super::checker::{Checker, PlannedJudge, unknown};
use crate::{
    Outcome, OutcomeDetector, Outcomes,
    detectors::{FirstDetector, ModelDetector, RuleDetector},
    file::DetectorSource,
};

/// What detects outcomes.
pub(super) enum PlannedDetector {
    Rule(Arc<RuleDetector>),
    Judge(PlannedJudge),
}

/// Checks the outcomes of a file.
pub(super) fn outcomes(sources: Vec<Outcome>, checker: &mut Checker<'_>) -> Outcomes {
    let mut unique = Vec::<Outcome>::new();
    for (index, outcome) in sources.into_iter().enumerate() {
        if unique.iter().any(|other| other.name == outcome.name) {
            let message = format!("duplicate outcome name {:?}", outcome.name);
            checker.error(&format!("outcomes/{index}/name"), message);
        } else if !is_valid_name(&outcome.name) {
            let message = format!("invalid outcome name {:?}; {VALID_NAME}", outcome.name);
            checker.error(&format!("outcomes/{index}/name"), message);
        } else {
            unique.push(outcome);
        }
    }
    // The names are unique.
    Outcomes::new(unique).unwrap_or_default()
}

const VALID_NAME: &str = "expected a text of one line without spaces around it";

/// Models answer with a name, so a name is a line.
fn is_valid_name(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && !name.contains(char::is_control)
}

/// Checks the detectors of a file.
pub(super) fn plan(
    sources: Vec<DetectorSource>,
    outcomes: &Outcomes,
    checker: &mut Checker<'_>,
) -> Vec<PlannedDetector> {
    let mut planned = Vec::new();
    for (index, source) in sources.into_iter().enumerate() {
        let path = format!("detectors/{index}");
        match source {
            DetectorSource::Match { outcome, condition } => {
                if outcomes.get(&outcome).is_none() {
                    let names: Vec<_> = outcomes.iter().map(|it| it.name.clone()).collect();
                    let message = unknown("outcome", &outcome, names.iter());
                    checker.error(&format!("{path}/outcome"), message);
                }
                let rule = RuleDetector::new(outcome, *condition);
                planned.push(PlannedDetector::Rule(Arc::new(rule)));
            }
            DetectorSource::Judge(source) => {
                let judge = checker.judge(Some(source), &format!("{path}/judge"));
                planned.extend(judge.map(PlannedDetector::Judge));
            }
        }
    }
    planned
}

/// Returns the detector of a conversation.
pub(super) fn build(planned: &[PlannedDetector], conversation_id: &str) -> FirstDetector {
    let detectors = planned.iter().map(|detector| match detector {
        PlannedDetector::Rule(rule) => rule.clone() as Arc<dyn OutcomeDetector>,
        PlannedDetector::Judge(judge) => Arc::new(ModelDetector::new(judge.build(conversation_id))),
    });
    FirstDetector::new(detectors.collect())
}
