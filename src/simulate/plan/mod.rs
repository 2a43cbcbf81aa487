//! Plans the conversations of a file.
//!
//! A plan is small: it computes each conversation from its position in the run.

// resources     the components, recordings and tools that a file refers to
// participants  the participants
// detectors     the detectors
// scenarios     the scenarios
// report        collects errors

mod detectors;
mod participants;
mod report;
mod resources;
mod scenarios;

use std::{num::NonZeroUsize, path::Path, sync::Arc, time::Duration};

use self::{
    detectors::PlannedDetector, report::Report, resources::Resources, scenarios::PlannedScenario,
};
use crate::{
    base::{diagnostics::Diagnostic, environment::Environment, files, yaml},
    component::ComponentSpec,
    simulate::{
        BaseTimestamp, Detection, Outcomes,
        file::{EndOnSource, SimulateFile},
    },
};

const IN_FLIGHT: NonZeroUsize = NonZeroUsize::new(10).unwrap();
const MAX_MESSAGES: u32 = 100;
const MAX_MESSAGES_AFTER_OUTCOME: u32 = 5;
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(30);

/// The conversations of a file. Clones share them.
#[derive(Clone)]
pub(crate) struct Plan(Arc<Parts>);

struct Parts {
    name: String,
    hash: String,
    in_flight: NonZeroUsize,
    outcomes: Outcomes,
    detectors: Vec<PlannedDetector>,
    scenarios: Vec<PlannedScenario>,
    conversations: usize,
    rules: Rules,
    /// The component that tells simulated conversations from recorded ones.
    adversarial: Option<Arc<ComponentSpec>>,
}

/// The rules of all conversations.
struct Rules {
    max_messages: usize,
    max_messages_after_outcome: usize,
    message_timeout: Duration,
    detection: Detection,
    base_timestamp: BaseTimestamp,
    end_on: EndOnSource,
    judge: Option<Arc<ComponentSpec>>,
    goal: Option<Arc<ComponentSpec>>,
}

impl Plan {
    /// Reads and checks a file and all files that it refers to. Starts nothing.
    ///
    /// # Errors
    ///
    /// Fails with all errors that were found.
    pub(crate) fn read(file: &Path, environment: &Environment) -> Result<Self, Vec<Diagnostic>> {
        let text = files::read_regular(file).map_err(|error| vec![error])?;
        let source: SimulateFile =
            yaml::from_str(&text).map_err(|error| vec![error.in_file(file)])?;
        let mut report = Report::new(file, &text);
        let parts = plan(source, environment, &mut report);
        match report.errors() {
            0 => Ok(Self(Arc::new(parts))),
            _ => Err(report.into_errors()),
        }
    }

    /// Returns the number of conversations.
    pub(crate) fn conversations(&self) -> usize {
        self.0.conversations
    }
}

fn plan(source: SimulateFile, environment: &Environment, report: &mut Report<'_>) -> Parts {
    let mut resources = Resources::load(&source.resources, environment, report);
    if source.name.trim().is_empty() {
        report.error("name", "the name is empty");
    }
    let outcomes = detectors::outcomes(source.outcomes, report);
    let scenarios = scenarios::plan(source.participants, source.scenarios, &mut resources, report);
    let detectors = detectors::plan(source.detectors, &outcomes, &resources, report);
    let mut judge = |source, path| detectors::judge(source, path, &resources, report);
    let adversarial = judge(source.adversarial, "adversarial");
    let count = |count: Option<u32>, default| count.unwrap_or(default) as usize;
    let rules = Rules {
        max_messages: count(source.max_messages.map(|it| it.0), MAX_MESSAGES),
        max_messages_after_outcome: count(
            source.max_messages_after_outcome.map(|it| it.0),
            MAX_MESSAGES_AFTER_OUTCOME,
        ),
        message_timeout: source.message_timeout.map_or(MESSAGE_TIMEOUT, |time| time.0),
        detection: source.detect.into(),
        base_timestamp: source.base_timestamp.0,
        judge: judge(source.end_on.judge.clone(), "end_on/judge"),
        goal: judge(source.end_on.goal.clone(), "end_on/goal"),
        end_on: source.end_on,
    };
    let in_flight = source.in_flight.and_then(|it| NonZeroUsize::new(it.0 as usize));
    Parts {
        name: source.name,
        hash: report.hash(),
        in_flight: in_flight.unwrap_or(IN_FLIGHT),
        outcomes,
        detectors,
        conversations: scenarios.iter().map(|scenario| scenario.conversations).sum(),
        scenarios,
        rules,
        adversarial,
    }
}
