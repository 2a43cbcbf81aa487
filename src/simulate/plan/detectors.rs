//! The detectors of a plan.

use std::sync::Arc;

use super::{
    report::Report,
    resources::{Resources, unknown},
};
use crate::{
    component::ComponentSpec,
    simulate::{
        Outcome, Outcomes,
        file::{DetectorSource, JudgeSource, MatchSource},
    },
};

/// What detects outcomes.
pub(super) enum PlannedDetector {
    Match { outcome: Outcome, r#match: Box<MatchSource> },
    Judge(Arc<ComponentSpec>),
}

/// Checks the outcomes of a file.
pub(super) fn outcomes(sources: Vec<Outcome>, report: &mut Report<'_>) -> Outcomes {
    let mut unique = Vec::<Outcome>::new();
    for (index, outcome) in sources.into_iter().enumerate() {
        if unique.iter().any(|other| other.name == outcome.name) {
            let message = format!("duplicate outcome name {:?}", outcome.name);
            report.error(&format!("outcomes/{index}/name"), message);
        } else {
            unique.push(outcome);
        }
    }
    // The names are unique.
    Outcomes::new(unique).unwrap_or_default()
}

/// Checks the detectors of a file.
pub(super) fn plan(
    sources: Vec<DetectorSource>,
    outcomes: &Outcomes,
    resources: &Resources<'_>,
    report: &mut Report<'_>,
) -> Vec<PlannedDetector> {
    let mut planned = Vec::new();
    for (index, source) in sources.into_iter().enumerate() {
        let path = format!("detectors/{index}");
        planned.extend(match source {
            DetectorSource::Match { outcome: name, r#match } => match outcomes.get(&name) {
                Some(outcome) => Some(PlannedDetector::Match { outcome: outcome.clone(), r#match }),
                None => {
                    let names: Vec<_> = outcomes.iter().map(|it| it.name.clone()).collect();
                    let message = unknown("outcome", &name, names.iter());
                    report.error(&format!("{path}/outcome"), message);
                    None
                }
            },
            DetectorSource::Judge(source) => {
                judge(Some(source), &format!("{path}/judge"), resources, report)
                    .map(PlannedDetector::Judge)
            }
        });
    }
    planned
}

/// Returns the component of a judge, which is at a path in the file.
pub(super) fn judge(
    source: Option<JudgeSource>,
    path: &str,
    resources: &Resources<'_>,
    report: &mut Report<'_>,
) -> Option<Arc<ComponentSpec>> {
    resources.component(&source?.component, &format!("{path}/component"), report)
}
