//! `mynah verify`: checks the calls of a sidecar against the expectations in a file of rules.

use std::{
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
    base::{environment::Environment, text::count},
    engine::verify::Verification,
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
    }
    if !verification.report.is_empty() {
        let _ = writeln!(io::stderr(), "mynah: {}", indented(&verification.report));
    }
    Ok(if verification.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

/// Returns a report whose lines are indented below `mynah:`.
pub(super) fn indented(report: &str) -> String {
    report.replace('\n', "\n  ")
}
