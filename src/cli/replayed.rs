//! What `mynah run --replay` says at its end.

use std::{collections::BTreeSet, fmt::Write, sync::Arc};

use super::verify::{MAX_LISTED, add_line};
use crate::{
    base::{text::count, work::Work},
    engine::{
        Engine,
        journal::{Entry, EntryFilter},
        verify::{Checks, verify},
    },
    provider::{call::AnsweredBy, scripted::rules::UnusedRule},
};

/// What was not as recorded.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// The calls whose requests are not recorded, each with the error.
    missed: Vec<String>,
    /// The exchanges that were not asked for.
    unused: Vec<String>,
}

impl Replayed {
    /// Compares the calls with the recordings. Returns `None` if the journal is off.
    pub(super) fn of(engine: &Arc<Engine>) -> Option<Self> {
        let journal = engine.readable_journal()?;
        let calls = journal.select(&EntryFilter::default());
        let components = engine.with_instances();
        let missed = calls.entries.iter().filter(|entry| is_missed(entry));
        let missed = missed.map(|entry| {
            let (number, component) = (entry.number, &entry.component);
            let error = entry.error().map_or("", |error| &error.message);
            let prefix = format!("failed conversing with component {component}: ");
            let error = calls.redactor.redacted(error.strip_prefix(&prefix).unwrap_or(error));
            format!("call {number} of {component}: {error}")
        });
        let missed = missed.collect();
        let rules =
            components.all().into_iter().filter_map(|it| it.rules.component.clone()).collect();
        let checks = Checks { unused: Some(rules), ..Checks::default() };
        let verification = verify(&checks, &calls, &components, &Work::unlimited()).ok()?;
        let unused = verification.unused.into_iter().flatten();
        let unused = unused.map(|UnusedRule { file, rule, .. }| format!("{rule:?} in {file}"));
        let unused: BTreeSet<_> = unused.collect();
        Some(Self { missed, unused: unused.into_iter().collect() })
    }

    /// Returns `true` if a request was not recorded.
    pub(super) fn has_missed(&self) -> bool {
        !self.missed.is_empty()
    }

    /// Returns a report, unless all is as recorded.
    pub(super) fn report(&self) -> Option<String> {
        let mut report = String::new();
        add(&mut report, &self.missed, "request", "not recorded");
        add(&mut report, &self.unused, "recorded exchange", "not asked for");
        (!report.is_empty()).then_some(report)
    }
}

fn is_missed(entry: &Entry) -> bool {
    entry.answered_by.contains(&AnsweredBy::Missed)
}

fn add(report: &mut String, lines: &[String], what: &str, how: &str) {
    if lines.is_empty() {
        return;
    }
    let verb = if lines.len() == 1 { "was" } else { "were" };
    let heading = format!("{} {verb} {how}", count(lines.len(), what));
    add_line(report, &heading);
    lines.iter().take(MAX_LISTED).for_each(|line| add_line(report, &format!("  {line}")));
    if let Some(more) = lines.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        // Writing to a string does not fail.
        let _ = write!(report, "\n    and {more} more");
    }
}
