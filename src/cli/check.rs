//! `mynah check`: reports errors in components and simulations without running them.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use crate::{
    base::{
        diagnostics::{Diagnostic, Severity},
        environment::Environment,
        text::count,
    },
    cli::args::CheckArgs,
    component::{self, Context, Loaded},
    simulate::{self, Plan},
};

/// Prints all errors and notices to stdout, followed by a summary. Returns a failure code if there
/// are errors.
pub(super) fn check(args: &CheckArgs, environment: Environment) -> ExitCode {
    let (app_id, stand_in) = (args.app_id.clone(), args.stand_in);
    let context = Context { app_id, environment, stand_in, ..Context::default() };
    let mut loaded = component::load(&args.paths, &context);
    let simulations = check_simulations(&mut loaded, &context.environment);
    let errors = loaded.errors.iter().map(ToString::to_string);
    let notices = loaded.notices.iter().map(notice_line);
    let lines: Vec<_> = errors.chain(notices).chain([summary(&loaded, simulations)]).collect();
    // Ignore write errors: the exit code is still useful.
    let _ = writeln!(io::stdout(), "{}", lines.join("\n"));
    if loaded.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks the simulations among the files that are not components. Returns the number of those
/// without errors.
fn check_simulations(loaded: &mut Loaded, environment: &Environment) -> Option<usize> {
    let skipped = loaded.notices.iter().filter(|notice| notice.severity == Severity::Info);
    let files: BTreeSet<PathBuf> = skipped.map(|notice| notice.file.clone()).collect();
    let files: BTreeSet<_> = files.into_iter().filter(|it| simulate::is_simulation(it)).collect();
    loaded.notices.retain(|notice| !files.contains(&notice.file));
    let mut valid = 0;
    for file in &files {
        match Plan::read(file, environment) {
            Ok(plan) => {
                loaded.notices.extend(plan.warnings().iter().cloned());
                valid += 1;
            }
            Err(errors) => {
                let new = errors.into_iter().filter(|error| !loaded.errors.contains(error));
                let new: Vec<_> = new.collect();
                loaded.errors.extend(new);
            }
        }
    }
    (!files.is_empty()).then_some(valid)
}

fn notice_line(notice: &Diagnostic) -> String {
    match notice.severity {
        Severity::Warning => format!("{notice} (warning)"),
        Severity::Error | Severity::Info => notice.to_string(),
    }
}

fn summary(
    Loaded { components, errors, notices, .. }: &Loaded,
    simulations: Option<usize>,
) -> String {
    let warnings = notices.iter().filter(|notice| notice.severity == Severity::Warning).count();
    let components = count(components.len(), "component");
    let errors = count(errors.len(), "error");
    let found = match simulations {
        Some(simulations) => format!("{components}, {}", count(simulations, "simulation")),
        None => components,
    };
    format!("{found}, {errors}, {}", count(warnings, "warning"))
}
