//! Reports expectations that are not met.

use std::fmt::Write;

use crate::{
    base::{terminal::escape_controls, text::count},
    engine::verify::{NearRule, UnmatchedCall, Verification, Verified},
};

/// The maximum number of calls that are listed.
const MAX_LISTED: usize = 10;

/// Returns a report on what is not as expected.
pub(super) fn report(verification: &Verification) -> String {
    let unmet: Vec<_> = verification.expectations.iter().filter(|it| !it.ok).collect();
    let mut report = String::new();
    if !unmet.is_empty() {
        let all = verification.expectations.len();
        report += &format!("{} of {} not met", unmet.len(), count(all, "expectation"));
    }
    for (number, verified) in verification.expectations.iter().enumerate() {
        if !verified.ok {
            add_unmet(&mut report, number + 1, verified);
        }
    }
    for rule in verification.unused.iter().flatten() {
        let steps: Vec<_> = rule.steps.iter().map(ToString::to_string).collect();
        let steps = if steps.is_empty() {
            "did not answer".to_owned()
        } else {
            format!("did not answer with its steps {}", steps.join(", "))
        };
        add_line(&mut report, &format!("rule {:?} in {} {steps}", rule.rule, rule.file));
    }
    if let Some(calls) = verification.unmatched.as_ref().filter(|calls| !calls.is_empty()) {
        let noun = if calls.len() == 1 { "call" } else { "calls" };
        let numbers: Vec<_> = calls.iter().map(|call| call.number).collect();
        let numbers = listed(&numbers);
        add_line(&mut report, &format!("neither a rule nor a chain answered {noun} {numbers}"));
        calls.iter().for_each(|call| add_unmatched(&mut report, call));
    }
    if let Some(sessions) = other_sessions(verification) {
        add_line(&mut report, &sessions);
    }
    if verification.dropped > 0 {
        let dropped = count(verification.dropped as usize, "call");
        let effect = if verification.incomplete { ", so the checks are incomplete" } else { "" };
        let help = "increase --journal-size";
        add_line(&mut report, &format!("the journal dropped {dropped}{effect}; {help}"));
    }
    report
}

/// Says which sessions have calls, if the session that was checked has none.
pub(super) fn other_sessions(verification: &Verification) -> Option<String> {
    let sessions = verification.other_sessions.iter().map(|it| format!("{it:?}"));
    let sessions: Vec<_> = sessions.collect();
    let has_others = !sessions.is_empty();
    has_others
        .then(|| format!("the session has no calls; there are calls of {}", sessions.join(", ")))
}

fn add_unmatched(report: &mut String, call: &UnmatchedCall) {
    let Some(text) = &call.text else { return };
    if let Some(error) = &call.error {
        add_line(report, &format!("  call {} says {text:?} and fails: {error}", call.number));
        return;
    }
    let nearest = call.nearest.as_ref().map(|NearRule { rule, file, mismatches }| {
        let mismatches: Vec<_> = mismatches.iter().map(ToString::to_string).collect();
        let mismatches = match mismatches.as_slice() {
            [] => "it has answered as often as it may".to_owned(),
            mismatches => mismatches.join("; "),
        };
        let file = file.as_ref().map(|file| format!(" of {file}")).unwrap_or_default();
        format!("; the nearest rule is {rule:?}{file}: {mismatches}")
    });
    let nearest = nearest.unwrap_or_default();
    add_line(report, &format!("  call {} says {text:?}{nearest}", call.number));
}

fn add_unmet(report: &mut String, number: usize, verified: &Verified) {
    let Verified { name, matched, expected, calls, nearest, .. } = verified;
    let name = name.as_ref().map_or_else(|| number.to_string(), |name| format!("{name:?}"));
    let found = if calls.is_empty() { String::new() } else { format!(" ({})", listed(calls)) };
    let noun = if expected.ends_with(" 1") { "call" } else { "calls" };
    let found = format!("expectation {name}: expected {expected} {noun}, found {matched}{found}");
    add_line(report, &found);
    for miss in nearest {
        let mismatches: Vec<_> = miss.mismatches.iter().map(ToString::to_string).collect();
        add_line(
            report,
            &format!("  call {} does not match: {}", miss.number, mismatches.join("; ")),
        );
    }
}

fn add_line(report: &mut String, line: &str) {
    let line = escape_controls(line);
    // Writing to a string does not fail.
    let _ = if report.is_empty() { write!(report, "{line}") } else { write!(report, "\n  {line}") };
}

fn listed(calls: &[u64]) -> String {
    let shown: Vec<_> = calls.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = if calls.len() > MAX_LISTED { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
