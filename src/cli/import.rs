//! `mynah import`: converts the files of other programs to rules files.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use crate::{
    base::{diagnostics::Diagnostic, files},
    cli::args::{ImportArgs, ImportFormat},
    provider::scripted::rules::aimock::{self, Converted},
};

/// Prints the rules to stdout, and warnings and errors to stderr. Returns a failure code if there are
/// errors.
pub(super) fn import(args: &ImportArgs) -> ExitCode {
    let convert = match args.format {
        ImportFormat::Aimock => aimock::convert,
    };
    let text = files::read(&args.file).map_err(|error| vec![error]);
    let converted = text.and_then(|text| convert(&text));
    match converted {
        Ok(Converted { rules, warnings }) => {
            // Ignore write errors: the reader is gone.
            let _ = io::stdout().write_all(rules.as_bytes());
            print(warnings, &args.file, " (warning)");
            ExitCode::SUCCESS
        }
        Err(errors) => {
            print(errors, &args.file, "");
            ExitCode::FAILURE
        }
    }
}

fn print(diagnostics: Vec<Diagnostic>, file: &Path, mark: &str) {
    for diagnostic in diagnostics {
        // Ignore write errors: there is nowhere else to report them.
        let _ = writeln!(io::stderr(), "{}{mark}", diagnostic.in_file(file));
    }
}
