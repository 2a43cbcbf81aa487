//! The rules of components.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    slice,
    sync::Arc,
};

use super::{
    context::Context,
    report::Report,
    settings::{Access, Metadata, ResolvedValue},
};
use crate::{
    base::{diagnostics::Diagnostic, files},
    provider::scripted::{
        Rules,
        recordings::MAX_MIB,
        rules::{FoundRules, RulesText, matching::request::REQUESTS},
    },
};

/// The metadata key for a file of rules, or for the rules themselves.
pub(super) const KEY: &str = "rules";

/// What was loaded from files and folders of rules.
#[derive(Default)]
pub(super) struct LoadedRules {
    /// `None` if there are errors, or no paths.
    pub(super) rules: Option<Arc<Rules>>,
    /// Warnings about the rules, and the files that are skipped.
    pub(super) notices: Vec<Diagnostic>,
    /// What cannot be read.
    unreadable: Vec<Diagnostic>,
    /// The errors in the rules.
    pub(super) errors: Vec<Diagnostic>,
    /// The files and folders that can change the rules.
    pub(super) watched: BTreeSet<PathBuf>,
}

/// Loads the rules that are shared by components without rules of their own.
pub(super) fn load_shared(context: &Context) -> LoadedRules {
    if context.rules.is_empty() {
        return LoadedRules::default();
    }
    let LoadedRules { rules, notices, unreadable, errors, watched } = load(&context.rules, context);
    let unreadable = unreadable.into_iter().map(of_rules_file);
    let errors = unreadable.chain(errors).collect();
    LoadedRules { rules, notices, unreadable: Vec::new(), errors, watched }
}

/// Says in an error about reading a file what the file was read for.
fn of_rules_file(error: Diagnostic) -> Diagnostic {
    if !error.message.starts_with("cannot be read") {
        return error;
    }
    Diagnostic { message: format!("the rules file {}", error.message), ..error }
}

/// Returns the shared rules and the recording in a file, if there are any.
pub(super) fn read_recording(
    file: &Path,
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> Option<Arc<Rules>> {
    if let Some(folder) = file.parent() {
        // A file that is missing may be added.
        report.depends_on(folder);
        report.depends_on(&folder.join(REQUESTS));
    }
    let shared = metadata.shared_rules.into_iter().flat_map(|rules| rules.texts().cloned());
    let mut texts: Vec<_> = shared.collect();
    if file.exists() {
        report.depends_on(file);
        let text = files::read_large(file, MAX_MIB).map_err(|error| report.add(error)).ok()?;
        texts.push(RulesText::of_recording(file, text));
    }
    if texts.is_empty() {
        return None;
    }
    let read = metadata.context.rules_in_use.get_or_read(texts);
    let rules = read.map_err(|errors| errors.into_iter().for_each(|it| report.add(it))).ok()?;
    rules.warnings().iter().for_each(|it| report.add(it.clone()));
    Some(rules)
}

/// Loads the rules in files and folders.
fn load(paths: &[PathBuf], context: &Context) -> LoadedRules {
    let FoundRules { texts, watched, mut notices, errors: unreadable, .. } =
        FoundRules::read(paths);
    let (mut rules, mut errors) = (None, Vec::new());
    // Without texts, there are errors already.
    if !texts.is_empty() {
        match context.rules_in_use.get_or_read(texts) {
            Ok(read) => rules = Some(read).filter(|_| unreadable.is_empty()),
            Err(invalid) => errors = invalid,
        }
    }
    notices.extend(rules.iter().flat_map(|rules| rules.warnings().to_vec()));
    LoadedRules { rules, notices, unreadable, errors, watched }
}

/// Returns the rules of a component, or the shared ones if it has none.
pub(super) fn read(metadata: &Metadata<'_>, report: &mut Report) -> Option<Arc<Rules>> {
    let Some(value) = metadata.value(KEY, report) else { return metadata.shared_rules.cloned() };
    if value.text.contains('\n') {
        read_inline(&value, metadata, report)
    } else {
        read_file(&value, metadata, report)
    }
}

/// Reads rules that are written in the metadata.
fn read_inline(
    value: &ResolvedValue,
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> Option<Arc<Rules>> {
    let texts = vec![RulesText::new(&source(metadata), value.text.clone())];
    let rules = match metadata.access {
        Access::All => metadata.context.rules_in_use.get_or_read(texts),
        // Their patterns are counted each time that daprd initializes the instance.
        Access::Folder(_) | Access::Nothing => Rules::read_all(texts).map(Arc::new),
    };
    let mut add = |diagnostic: &Diagnostic| {
        let line = diagnostic.place.map_or_else(String::new, |it| format!("line {}: ", it.line));
        let message = format!("{KEY}: {line}{}", diagnostic.message);
        report.add(Diagnostic { message, ..diagnostic.clone() }.at(value.place));
    };
    match rules {
        Ok(rules) => {
            rules.warnings().iter().for_each(add);
            Some(rules)
        }
        Err(errors) => {
            errors.iter().for_each(&mut add);
            None
        }
    }
}

/// Returns what counters and reports call the metadata of a component.
fn source(metadata: &Metadata<'_>) -> String {
    let name = metadata.manifest.name.as_ref().map_or("", |name| &name.text);
    match metadata.file.as_os_str().is_empty() {
        true => format!("component {name}"),
        false => format!("{}, component {name}", metadata.file.display()),
    }
}

/// Reads the rules in a file or a folder. A relative path starts at the folder of the component's file.
fn read_file(
    value: &ResolvedValue,
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> Option<Arc<Rules>> {
    let refused = |reason| report.error(value.place, format!("{KEY}: {} {reason}", value.shown()));
    let path = metadata.access.path(metadata.folder, &value.text).map_err(refused).ok()?;
    let LoadedRules { rules, notices, unreadable, errors, watched } =
        load(slice::from_ref(&path), metadata.context);
    watched.iter().for_each(|path| report.depends_on(path));
    for error in unreadable {
        // Messages do not show a path that comes from the environment or a secret.
        let shown = metadata
            .literal(KEY)
            .map_or_else(|| value.shown(), |_| error.file.display().to_string());
        let shown = match error.message.starts_with("cannot be read") {
            true => format!("the rules file {shown}"),
            false => shown,
        };
        report.error(value.place, format!("{KEY}: {shown} {}", error.message));
    }
    errors.into_iter().chain(notices).for_each(|it| report.add(it));
    rules
}
