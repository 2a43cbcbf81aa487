//! `mynah verify`: checks the calls of a sidecar against the expectations in a file of rules.

use std::{
    fmt::Write as _,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use serde_json::{Value, json};

use super::{
    args::VerifyArgs,
    control_client::{ControlClient, ControlClientError},
};
use crate::{
    base::{environment::Environment, terminal::escape_controls, text::count},
    engine::verify::{NearRule, UnmatchedCall, Verification, Verified},
    provider::scripted::rules::{FoundRules, Rules},
};

/// The status with which the control API reports that something is not as expected.
const CONFLICT: u16 = 409;

/// Checks the calls. Reports on stderr what is not as expected.
pub(super) async fn verify(
    args: &VerifyArgs,
    environment: &Environment,
) -> Result<ExitCode, ControlClientError> {
    let has_checks = args.unused || args.no_unmatched;
    let expect = args.file.as_deref().map(|path| expectations(path, has_checks)).transpose()?;
    let body = json!({
        "expect": expect.unwrap_or_default(),
        "unused": args.unused,
        "no_unmatched": args.no_unmatched,
        "session": args.session,
    });
    let client = ControlClient::new(args.endpoint.as_deref(), environment)?;
    let answer: Value = client.post("/verify", body.to_string(), CONFLICT).await?;
    let verification: Verification = serde_json::from_value(answer)
        .map_err(|error| ControlClientError::Answer(error.to_string()))?;
    // Ignore write errors: the exit code is still useful.
    if verification.ok {
        let _ = writeln!(io::stdout(), "{}", met(&verification));
        if let Some(sessions) = other_sessions(&verification) {
            let _ = writeln!(io::stderr(), "mynah: {sessions}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let _ = writeln!(io::stderr(), "mynah: {}", report(&verification));
    Ok(ExitCode::FAILURE)
}

/// Returns the expectations in a file or a folder of rules. Fails if there are none and nothing else is
/// checked.
fn expectations(path: &Path, has_checks: bool) -> Result<Vec<Value>, ControlClientError> {
    let FoundRules { texts, errors, .. } = FoundRules::read(&[path.to_owned()]);
    if !errors.is_empty() {
        return Err(ControlClientError::File(errors));
    }
    let rules = Rules::read_all(texts).map_err(ControlClientError::File)?;
    if rules.files().iter().all(|file| file.expectations.is_empty()) && !has_checks {
        return Err(ControlClientError::NoExpectations(path.display().to_string()));
    }
    Ok(rules.expectations_as_json())
}

/// Says what is as expected.
fn met(verification: &Verification) -> String {
    let Verification { expectations, unused, unmatched, .. } = verification;
    let expectations = (!expectations.is_empty())
        .then(|| format!("{} met", count(expectations.len(), "expectation")));
    let used = unused.as_ref().map(|_| "all rules have answered".to_owned());
    let matched = unmatched.as_ref().map(|_| "no call is unmatched".to_owned());
    expectations.into_iter().chain(used).chain(matched).collect::<Vec<_>>().join(", ")
}

/// The maximum number of calls that are listed.
pub(super) const MAX_LISTED: usize = 10;

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
fn other_sessions(verification: &Verification) -> Option<String> {
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

pub(super) fn add_line(report: &mut String, line: &str) {
    let line = escape_controls(line);
    // Writing to a string does not fail.
    let _ = if report.is_empty() { write!(report, "{line}") } else { write!(report, "\n  {line}") };
}

fn listed(calls: &[u64]) -> String {
    let shown: Vec<_> = calls.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = if calls.len() > MAX_LISTED { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
