//! The rules of components.

use std::sync::Arc;

use super::{
    context::Context,
    report::Report,
    settings::{Access, Metadata, ResolvedValue},
};
use crate::{
    base::{diagnostics::Diagnostic, files},
    provider::scripted::Rules,
};

/// The metadata key for a file of rules, or for the rules themselves.
pub(super) const KEY: &str = "rules";

/// Loads the rules that are shared by components without rules of their own.
pub(super) fn load_shared(context: &Context) -> Result<Option<Arc<Rules>>, Vec<Diagnostic>> {
    let Some(file) = context.rules.as_deref() else { return Ok(None) };
    let text = files::read_regular(file).map_err(|error| vec![error])?;
    let source = file.display().to_string();
    context.rules_in_use.get_or_read(&source, &text, || Rules::read(text.clone(), file)).map(Some)
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
    let source = source(metadata);
    let read = || Rules::read_text(value.text.clone(), &source);
    let rules = match metadata.access {
        Access::All => metadata.context.rules_in_use.get_or_read(&source, &value.text, read),
        // Their patterns are counted each time that daprd initializes the instance.
        Access::Folder(_) | Access::Nothing => read().map(Arc::new),
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

/// Reads the rules in a file. A relative path starts at the folder of the component's file.
fn read_file(
    value: &ResolvedValue,
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> Option<Arc<Rules>> {
    let refused = |reason| report.error(value.place, format!("{KEY}: {} {reason}", value.shown()));
    let path = metadata.access.path(metadata.folder, &value.text).map_err(refused).ok()?;
    report.depends_on(&path);
    let unreadable = |error: Diagnostic| {
        // Messages do not show a path that comes from the environment or a secret.
        let shown =
            metadata.literal(KEY).map_or_else(|| value.shown(), |_| path.display().to_string());
        report.error(value.place, format!("{KEY}: {shown} {}", error.message));
    };
    let text = files::read_regular(&path).map_err(unreadable).ok()?;
    let add = |errors: Vec<Diagnostic>| errors.into_iter().for_each(|error| report.add(error));
    let source = path.display().to_string();
    let read = || Rules::read(text.clone(), &path);
    let rules = metadata.context.rules_in_use.get_or_read(&source, &text, read);
    let rules = rules.map_err(add).ok()?;
    rules.warnings().iter().for_each(|warning| report.add(warning.clone()));
    Some(rules)
}
