//! `mynah check`: what the sidecar would say of component files, without serving them.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use crate::{
    base::{diagnostics::Severity, environment::Environment},
    cli::args::CheckArgs,
    component::{self, Context, Loaded},
};

/// Prints every problem and notice on standard output, and one line that counts them.
///
/// Fails where there is a problem.
pub fn check(args: &CheckArgs, environment: Environment) -> ExitCode {
    let (app_id, stand_in) = (args.app_id.clone(), args.stand_in);
    let Loaded { components, notices, errors, .. } =
        component::load(&args.paths, &Context { app_id, environment, stand_in });
    let warnings = notices.iter().filter(|notice| notice.severity == Severity::Warning).count();
    let summary = format!(
        "{}, {}, {}",
        count(components.len(), "component"),
        count(errors.len(), "problem"),
        count(warnings, "warning")
    );
    let error_lines = errors.iter().map(ToString::to_string);
    let notice_lines = notices.iter().map(|notice| match notice.severity {
        Severity::Warning => format!("{notice} (warning)"),
        Severity::Error | Severity::Info => notice.to_string(),
    });
    let lines: Vec<_> = error_lines.chain(notice_lines).chain([summary]).collect();
    // Where nobody reads it, the exit status still tells.
    let _ = writeln!(io::stdout(), "{}", lines.join("\n"));
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}
