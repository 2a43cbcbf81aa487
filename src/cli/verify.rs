//! `mynah verify`: checks the calls of a sidecar against the expectations in a file of rules.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use serde_json::{Value, json};

use super::{
    control_client::{ControlClient, ControlClientError},
    verify_report::report,
};
use crate::{
    base::{environment::Environment, text::count},
    cli::args::VerifyArgs,
    engine::verify::Verification,
    provider::scripted::rules::Rules,
};

/// The status with which the control API reports that something is not as expected.
const CONFLICT: u16 = 409;

/// Checks the calls. Reports on stderr what is not as expected.
pub(super) async fn verify(
    args: &VerifyArgs,
    environment: &Environment,
) -> Result<ExitCode, ControlClientError> {
    let file = &args.file;
    let rules = Rules::load(file).map_err(ControlClientError::File)?;
    let has_checks = args.unused || args.no_unmatched;
    if rules.files().iter().all(|file| file.expectations.is_empty()) && !has_checks {
        return Err(ControlClientError::NoExpectations(file.display().to_string()));
    }
    let body = json!({
        "expect": rules.expectations_as_json(),
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
        let met = count(verification.expectations.len(), "expectation");
        let _ = writeln!(io::stdout(), "{met} met");
        return Ok(ExitCode::SUCCESS);
    }
    let _ = writeln!(io::stderr(), "mynah: {}", report(&verification));
    Ok(ExitCode::FAILURE)
}
