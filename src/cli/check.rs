//! `mynah check`: reports errors in component files without serving the components.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use crate::{
    base::{
        diagnostics::{Diagnostic, Severity},
        environment::Environment,
    },
    cli::args::CheckArgs,
    component::{self, Context, Loaded},
};

/// Prints all errors and notices to stdout, followed by a summary. Returns a failure code if there
/// are errors.
pub(super) fn check(args: &CheckArgs, environment: Environment) -> ExitCode {
    let (app_id, stand_in) = (args.app_id.clone(), args.stand_in);
    let loaded = component::load(
        &args.paths,
        &Context { app_id, environment, stand_in, ..Context::default() },
    );
    let errors = loaded.errors.iter().map(ToString::to_string);
    let notices = loaded.notices.iter().map(notice_line);
    let lines: Vec<_> = errors.chain(notices).chain([summary(&loaded)]).collect();
    // Ignore write errors: the exit code is still useful.
    let _ = writeln!(io::stdout(), "{}", lines.join("\n"));
    if loaded.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn notice_line(notice: &Diagnostic) -> String {
    match notice.severity {
        Severity::Warning => format!("{notice} (warning)"),
        Severity::Error | Severity::Info => notice.to_string(),
    }
}

fn summary(Loaded { components, errors, notices, .. }: &Loaded) -> String {
    let warnings = notices.iter().filter(|notice| notice.severity == Severity::Warning).count();
    let components = count(components.len(), "component");
    let errors = count(errors.len(), "error");
    format!("{components}, {errors}, {}", count(warnings, "warning"))
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
