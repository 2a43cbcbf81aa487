//! `mynah check`: what the sidecar would say of component files, without serving them.

use std::process::ExitCode;

use crate::{
    cli::CheckArgs,
    component::{self, Context, Level, Loaded},
};

/// Prints every problem and warning on standard output, and one line that counts them.
///
/// Fails where there is a problem.
pub fn check(args: &CheckArgs) -> ExitCode {
    let Loaded { components, notices, problems } =
        component::load(&args.paths, &Context::default());
    let warnings: Vec<_> = notices.iter().filter(|notice| notice.level == Level::Warning).collect();
    for problem in &problems {
        println!("{problem}");
    }
    for warning in &warnings {
        println!("{warning} (warning)");
    }
    println!(
        "{}, {}, {}",
        count(components.len(), "component"),
        count(problems.len(), "problem"),
        count(warnings.len(), "warning")
    );
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}
