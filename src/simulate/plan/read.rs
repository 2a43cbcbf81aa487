//! Reads a file.

use std::{mem, num::NonZeroUsize, path::Path, sync::Arc};

use super::{
    InvalidSimulation, Parts, Plan, Rules, detectors, judges, report::Report, resources::Resources,
    scenarios,
};
use crate::{
    base::{diagnostics::Diagnostic, environment::Environment, files, yaml},
    simulate::{
        Clock, EndConditions, Models, RunIdentity, RunnerSettings,
        file::{Detect, EndOnSource, SimulateFile},
    },
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
        let invalid = |error: Diagnostic| InvalidSimulation(vec![error.in_file(file)]);
        let text = files::read_regular(file).map_err(invalid)?;
        let source: SimulateFile = yaml::from_str(&text).map_err(invalid)?;
        let mut report = Report::new(file, &text);
        let parts = plan(source, environment, models, &mut report);
        match parts.filter(|_| report.errors() == 0) {
            Some(parts) => Ok(Self(Arc::new(parts))),
            None => Err(InvalidSimulation(report.into_errors())),
        }
    }
}

fn plan(
    source: SimulateFile,
    environment: &Environment,
    models: &mut dyn Models,
    report: &mut Report<'_>,
) -> Option<Parts> {
    let environment = environment.recording();
    if source.name.trim().is_empty() {
        report.error("name", "the name is empty");
    }
    warn_about_settings(&source, report);
    let settings = settings(&source);
    let timeout = settings.message_timeout;
    let cache = source.cache.as_deref().map(|folder| report.path_of(folder));
    let paths = &source.resources;
    let mut resources = Resources::load(paths, &environment, models, cache, timeout, report);
    let in_flight = source.in_flight.and_then(|it| NonZeroUsize::new(it.0 as usize));
    let outcomes = detectors::outcomes(source.outcomes, report);
    let scenarios = scenarios::plan(source.participants, source.scenarios, &mut resources, report);
    let detectors = detectors::plan(source.detectors, &outcomes, &mut resources, report);
    let mut judge = |source, path| judges::plan(source, path, &mut resources, report);
    let EndOnSource { judge: complete, goal, .. } = source.end_on;
    let rules = Rules {
        settings,
        judge: judge(complete, "end_on/judge"),
        goal: judge(goal, "end_on/goal"),
    };
    let adversarial = judge(source.adversarial, "adversarial");
    report.inputs.add(&environment.recorded());
    let identity = RunIdentity {
        name: source.name,
        hash: report.inputs.hash(),
        scenarios: scenarios.len(),
        conversations: scenarios.iter().map(|scenario| scenario.conversations).sum(),
        clock: Clock::default(),
    };
    let mut parts = Parts {
        identity,
        in_flight: in_flight.unwrap_or(IN_FLIGHT),
        outcomes: Arc::new(outcomes),
        detectors,
        scenarios,
        rules,
        adversarial,
        warnings: Vec::new(),
    };
    if parts.scenarios.iter().any(|scenario| parts.clock(scenario) == Clock::Real) {
        parts.identity.clock = Clock::Real;
        warn_about_real_time(&parts.rules.settings, report);
    }
    parts.warnings = mem::take(&mut report.warnings);
    parts.warnings.sort_by_key(|warning| warning.place);
    Some(parts)
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
    if source.max_messages_after_outcome.is_some() && source.detect == Detect::End {
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
        detection: source.detect.into(),
        clock: source.clock,
        base_timestamp: source.base_timestamp.map_or(default.base_timestamp, |time| time.0),
        message_timeout: message_timeout.map_or(default.message_timeout, |time| time.0),
        end_on: EndConditions { timeout, patterns, ..EndConditions::default() },
    }
}
