//! `mynah import`: converts the files of other programs to rules files.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use crate::{
    base::{
        diagnostics::{Diagnostic, Severity},
        files,
    },
    cli::args::{ImportArgs, ImportFormat},
    provider::scripted::rules::{FoundRules, RulesText, aimock},
};

/// Prints the rules to stdout, and warnings and errors to stderr. Returns a failure code if there are
/// errors.
pub(super) fn import(args: &ImportArgs) -> ExitCode {
    let ImportFormat::Aimock = args.format;
    match convert(read(&args.paths)) {
        Ok((rules, warnings)) => {
            // Ignore write errors: the reader is gone.
            let _ = io::stdout().write_all(rules.as_bytes());
            print(&warnings);
            ExitCode::SUCCESS
        }
        Err(errors) => {
            print(&errors);
            ExitCode::FAILURE
        }
    }
}

/// Reads files, which may be pipes, and the files in folders that have fixtures.
fn read(paths: &[PathBuf]) -> Result<Vec<RulesText>, Vec<Diagnostic>> {
    let (mut texts, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            let found = FoundRules::read(std::slice::from_ref(path));
            errors.extend(found.errors);
            texts.extend(found.texts.into_iter().filter(|it| aimock::has_fixtures(&it.text)));
        } else {
            let text = files::read(path).map(|text| RulesText::of_file(path, text));
            text.map_or_else(|error| errors.push(error), |text| texts.push(text));
        }
    }
    if errors.is_empty() { Ok(texts) } else { Err(errors) }
}

/// Returns the rules of all files, and the warnings.
fn convert(
    texts: Result<Vec<RulesText>, Vec<Diagnostic>>,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let texts = texts?;
    let is_one = texts.len() == 1;
    let (mut converted, mut warnings, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for RulesText { source, text, .. } in &texts {
        let in_file = |it: Diagnostic| it.in_file(&**source);
        match aimock::convert(text) {
            Ok(file) => {
                warnings.extend(file.warnings.iter().cloned().map(in_file));
                converted.push(if is_one { file } else { file.named_after(source) });
            }
            Err(invalid) => errors.extend(invalid.into_iter().map(in_file)),
        }
    }
    let without_rules = || {
        let reasons = converted.iter().zip(&texts).flat_map(|(file, text)| {
            file.reasons().into_iter().map(|it| it.in_file(&*text.source))
        });
        reasons.collect()
    };
    match aimock::write(&converted) {
        _ if !errors.is_empty() => Err(errors),
        Some(rules) => Ok((rules, warnings)),
        None => Err(without_rules()),
    }
}

fn print(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let mark = if diagnostic.severity == Severity::Warning { " (warning)" } else { "" };
        // Ignore write errors: there is nowhere else to report them.
        let _ = writeln!(io::stderr(), "{diagnostic}{mark}");
    }
}
