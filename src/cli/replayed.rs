//! What `mynah run --replay` says at its end.

use std::{collections::BTreeSet, sync::Arc};

use super::verify::indented;
use crate::{
    base::{text::count, work::Work},
    engine::{
        Engine,
        journal::EntryFilter,
        lines::Lines,
        verify::{Checks, verify},
    },
    provider::scripted::rules::UnusedRule,
};

/// The maximum number of lines in a list.
const MAX_LISTED: usize = 10;

/// What was not as recorded.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// The calls whose requests are not recorded, each with the error.
    missed: Vec<String>,
    /// The exchanges that were not asked for.
    unused: Vec<String>,
    /// Whether there was no call.
    is_idle: bool,
}

impl Replayed {
    /// Compares the calls with the recordings. Returns `None` if the journal is off.
    pub(super) fn of(engine: &Arc<Engine>) -> Option<Self> {
        let journal = engine.readable_journal()?;
        let calls = journal.select(&EntryFilter::default());
        let components = engine.with_instances();
        let rules =
            components.all().into_iter().filter_map(|it| it.rules.component.clone()).collect();
        let checks = Checks { unused: Some(rules), recorded: true, ..Checks::default() };
        let verification = verify(&checks, &calls, &components, &Work::unlimited()).ok()?;
        let missed = verification.unrecorded.unwrap_or_default();
        let unused = verification.unused.into_iter().flatten();
        let unused = unused.map(|UnusedRule { file, rule, .. }| format!("{rule:?} in {file}"));
        let unused: BTreeSet<_> = unused.collect();
        Some(Self {
            missed,
            unused: unused.into_iter().collect(),
            is_idle: calls.entries.is_empty(),
        })
    }

    /// Returns `true` if a request was not recorded.
    pub(super) fn has_missed(&self) -> bool {
        !self.missed.is_empty()
    }

    /// Returns a report, unless all is as recorded.
    pub(super) fn report(&self) -> Option<String> {
        let mut report = Lines::default();
        if self.is_idle && !self.unused.is_empty() {
            report.add(0, "no call reached mynah");
        }
        add(&mut report, &self.missed, "request", "not recorded");
        add(&mut report, &self.unused, "recorded exchange", "not asked for");
        (!report.is_empty()).then(|| indented(&report.into_text()))
    }
}

fn add(report: &mut Lines, lines: &[String], what: &str, how: &str) {
    if lines.is_empty() {
        return;
    }
    let verb = if lines.len() == 1 { "was" } else { "were" };
    let heading = format!("{} {verb} {how}", count(lines.len(), what));
    report.add(0, &heading);
    lines.iter().take(MAX_LISTED).for_each(|line| report.add(1, line));
    if let Some(more) = lines.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        report.add(1, &format!("and {more} more"));
    }
}
