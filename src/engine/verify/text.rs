//! Says in words what is not as expected.

use super::{
    Checks,
    report::{MAX_LISTED as MAX_LINES, NearRule, UnmatchedCall, Verification, Verified},
};
use crate::{
    base::text::count,
    engine::lines::Lines,
    provider::scripted::rules::{UnusedRule, matching::Mismatch},
};

/// The maximum number of calls that are listed.
const MAX_LISTED: usize = 10;

impl Verification {
    /// Adds the report, which is empty if there is nothing to say.
    pub(crate) fn describe(&mut self, checks: &Checks) {
        let mut lines = Lines::default();
        self.add_unmet(&mut lines, &checks.conditions);
        if let Some(waiting) = checks.waiting.filter(|waiting| waiting.now < waiting.expected) {
            let expected = count(waiting.expected, "waiting call");
            lines.add(0, &format!("expected {expected}, found {}", waiting.now));
        }
        self.unused.iter().flatten().for_each(|rule| add_unused(&mut lines, rule));
        self.unmatched.iter().flatten().for_each(|call| add_unmatched(&mut lines, call));
        self.unrecorded.iter().flatten().take(MAX_LINES).for_each(|call| lines.add(0, call));
        self.add_other_sessions(&mut lines);
        if self.dropped > 0 && !self.ok {
            let dropped = count(self.dropped as usize, "call");
            let effect = if self.incomplete { ", so the checks are incomplete" } else { "" };
            let help = "increase --journal-size";
            lines.add(0, &format!("the journal dropped {dropped}{effect}; {help}"));
        }
        self.report = lines.into_text();
    }

    /// Adds the expectations that are not met.
    fn add_unmet(&self, lines: &mut Lines, conditions: &[String]) {
        let (all, unmet) = (self.expectations.len(), self.expectations.iter().filter(|it| !it.ok));
        let unmet = unmet.count();
        if unmet > 0 && all > 1 {
            lines.add(0, &format!("{unmet} of {} not met", count(all, "expectation")));
        }
        for (index, verified) in self.expectations.iter().enumerate().filter(|(_, it)| !it.ok) {
            let name = match &verified.name {
                Some(name) => format!("expectation {name:?}: "),
                None if all > 1 => format!("expectation {}: ", index + 1),
                None => String::new(),
            };
            let with = conditions.get(index).filter(|it| !it.is_empty());
            let with = with.map(|conditions| format!(" with {conditions}")).unwrap_or_default();
            add_unmet(lines, &name, &with, verified);
        }
    }

    /// Says which sessions have calls, if the session that was checked has none.
    fn add_other_sessions(&self, lines: &mut Lines) {
        let names = self.other_sessions.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>();
        if !names.is_empty() {
            let names = names.join(", ");
            lines.add(0, &format!("the session has no calls; there are calls of {names}"));
        }
    }
}

fn add_unmet(lines: &mut Lines, name: &str, with: &str, verified: &Verified) {
    let Verified { matched, expected, calls, nearest, .. } = verified;
    let found = if calls.is_empty() { String::new() } else { format!(" ({})", listed(calls)) };
    let noun = if expected.ends_with(" 1") { "call" } else { "calls" };
    lines.add(0, &format!("{name}expected {expected} {noun}{with}, found {matched}{found}"));
    for miss in nearest {
        lines.add(1, &format!("call {} does not match:", miss.number));
        add_mismatches(lines, &miss.mismatches);
    }
}

fn add_unused(lines: &mut Lines, UnusedRule { file, rule, steps }: &UnusedRule) {
    let steps: Vec<_> = steps.iter().map(ToString::to_string).collect();
    let steps = if steps.is_empty() {
        String::new()
    } else {
        format!(" with its steps {}", steps.join(", "))
    };
    lines.add(0, &format!("rule {rule:?} in {file} did not answer{steps}"));
}

fn add_unmatched(lines: &mut Lines, call: &UnmatchedCall) {
    let text = call.text.as_ref().map(|text| format!(": {text:?}")).unwrap_or_default();
    lines.add(0, &format!("neither a rule nor a chain answered call {}{text}", call.number));
    add_nearest(lines, call);
    let is_explained = call.nearest.as_ref().is_some_and(|rule| !rule.mismatches.is_empty());
    if let Some(error) = call.error.as_ref().filter(|_| !is_explained) {
        lines.add(1, error);
    }
}

/// Adds the rule that is nearest to a call.
pub(crate) fn add_nearest(lines: &mut Lines, call: &UnmatchedCall) {
    let Some(NearRule { rule, file, mismatches }) = &call.nearest else { return };
    let file = file.as_ref().map(|file| format!(" of {file}")).unwrap_or_default();
    if mismatches.is_empty() {
        if call.error.is_none() {
            lines.add(1, &format!("rule {rule:?}{file} has answered as often as it may"));
        }
        return;
    }
    lines.add(1, &format!("the nearest is rule {rule:?}{file}:"));
    add_mismatches(lines, mismatches);
}

fn add_mismatches(lines: &mut Lines, mismatches: &[Mismatch]) {
    for Mismatch { condition, expected, seen } in mismatches {
        let seen = seen.as_ref().map_or("none".to_owned(), |seen| format!("{seen:?}"));
        let indentation = " ".repeat(condition.chars().count());
        lines.add(2, &format!("{condition}: expected {expected}"));
        lines.add(2, &format!("{indentation}  the call has {seen}"));
    }
}

fn listed(calls: &[u64]) -> String {
    let shown: Vec<_> = calls.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = if calls.len() > MAX_LISTED { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
