//! Reads a file.

use std::{mem, num::NonZeroUsize, path::Path, sync::Arc};

use mynah_core::base::{diagnostics::Diagnostic, environment::Environment, files, yaml};

use super::{
    InvalidSimulation, Parts, Plan,
    checker::Checker,
    detectors,
    report::Report,
    scenarios::{self, PlannedScenario},
};
use crate::{
    Clock, Detection, EndConditions, Models, RunIdentity, RunnerSettings,
    file::{EndOnSource, SimulateFile},
};

/// The number of conversations at the same time, unless the file sets it.
const IN_FLIGHT: NonZeroUsize = NonZeroUsize::new(10).unwrap();

impl Plan {
    /// Reads and checks a simulation and all files that it refers to. Starts nothing.
    ///
    /// # Errors
    ///
    /// Fails with all mistakes that were found.
    pub fn read(
        file: &Path,
        environment: &Environment,
        models: &mut dyn Models,
    ) -> Result<Self, InvalidSimulation> {
        let invalid = |errors: Vec<Diagnostic>| {
            InvalidSimulation(errors.into_iter().map(|error| error.in_file(file)).collect())
        };
        let text = files::read_regular(file).map_err(|error| invalid(vec![error]))?;
        let source: SimulateFile = yaml::from_str(&text).map_err(invalid)?;
        let (report, settings) = (Report::new(file, &text), settings(&source));
        let (cache, timeout) = (source.cache.as_deref(), settings.message_timeout);
        let mut checker = Checker::new(report, environment, models, cache, timeout);
        let parts = plan(source, settings, &mut checker);
        match checker.report.into_errors() {
            errors if errors.is_empty() => Ok(Self(Arc::new(parts))),
            errors => Err(InvalidSimulation(errors)),
        }
    }
}

fn plan(source: SimulateFile, settings: RunnerSettings, checker: &mut Checker<'_>) -> Parts {
    if source.name.trim().is_empty() {
        checker.error("name", "the name is empty");
    }
    warn_about_settings(&source, &mut checker.report);
    checker.load_components(&source.resources);
    let outcomes = detectors::outcomes(source.outcomes, checker);
    let detectors = detectors::plan(source.detectors, &outcomes, checker);
    let EndOnSource { judge, goal, .. } = source.end_on;
    let judge = checker.judge(judge, "end_on/judge");
    let goal = checker.judge(goal, "end_on/goal");
    let is_external = checker.judges.iter().any(|model| model.is_external());
    let clock = settings.clock.or(is_external.then_some(Clock::Real));
    let scenarios = scenarios::plan(source.participants, source.scenarios, clock, checker);
    let adversarial = checker.judge(source.adversarial, "adversarial");
    let in_flight = source.in_flight.and_then(|it| NonZeroUsize::new(it.0 as usize));
    let identity = identity(source.name, &scenarios, checker);
    if identity.clock == Clock::Real {
        warn_about_real_time(&settings, &mut checker.report);
    }
    let mut warnings = mem::take(&mut checker.report.warnings);
    warnings.sort_by_key(|warning| warning.place);
    Parts {
        identity,
        in_flight: in_flight.unwrap_or(IN_FLIGHT),
        outcomes: Arc::new(outcomes),
        detectors,
        scenarios,
        settings,
        judge,
        goal,
        adversarial,
        judges: mem::take(&mut checker.judges),
        warnings,
    }
}

fn identity(name: String, scenarios: &[PlannedScenario], checker: &mut Checker<'_>) -> RunIdentity {
    let recorded = checker.environment.recorded();
    checker.report.inputs.add(&recorded);
    let hash = checker.report.inputs.hash();
    let conversations = scenarios.iter().map(PlannedScenario::conversations).sum();
    let is_real = scenarios.iter().any(|scenario| scenario.clock == Clock::Real);
    let clock = if is_real { Clock::Real } else { Clock::Virtual };
    RunIdentity { name, hash, scenarios: scenarios.len(), conversations, clock }
}

/// Warns about a silence that participants outside of this process cannot reach.
fn warn_about_real_time(settings: &RunnerSettings, report: &mut Report<'_>) {
    let limit = settings.message_timeout;
    if settings.end_on.timeout.is_some_and(|timeout| timeout > limit) {
        let message = format!(
            "participants outside of mynah fail before this timeout, after the message_timeout of \
             {limit:?}"
        );
        report.warning("end_on/timeout", message);
    }
}

/// Warns about settings that have no effect, or that end each conversation.
fn warn_about_settings(source: &SimulateFile, report: &mut Report<'_>) {
    if source.max_messages_after_outcome.is_some() && source.detect == Detection::End {
        let message = "max_messages_after_outcome has no effect with `detect: end`";
        report.warning("max_messages_after_outcome", message);
    }
    for (index, pattern) in source.end_on.patterns.iter().enumerate() {
        if pattern.to_string().is_empty() {
            let path = format!("end_on/patterns/{index}");
            report.warning(&path, "the empty pattern matches each message");
        }
    }
}

/// Returns the settings of a file, without judges.
fn settings(source: &SimulateFile) -> RunnerSettings {
    let default = RunnerSettings::default();
    let SimulateFile { max_messages, max_messages_after_outcome, message_timeout, .. } = source;
    let EndOnSource { timeout, patterns, .. } = &source.end_on;
    let (timeout, patterns) = (timeout.map(|time| time.0), patterns.clone());
    let after = max_messages_after_outcome.map(|it| it.0 as usize);
    RunnerSettings {
        max_messages: max_messages.map_or(default.max_messages, |it| it.0 as usize),
        max_messages_after_outcome: after.unwrap_or(default.max_messages_after_outcome),
        detection: source.detect,
        clock: source.clock,
        base_timestamp: source.base_timestamp.map_or(default.base_timestamp, |time| time.0),
        message_timeout: message_timeout.map_or(default.message_timeout, |time| time.0),
        end_on: EndConditions { timeout, patterns, ..EndConditions::default() },
    }
}
