//! The rules of components.

use std::{path::Path, sync::Arc};

use super::{
    context::Context,
    report::Report,
    settings::{Metadata, ResolvedValue},
};
use crate::{
    base::{diagnostics::Diagnostic, files},
    provider::scripted::Rules,
};

/// The metadata key for a file of rules, or for the rules themselves.
pub(super) const KEY: &str = "rules";

/// Loads the rules that are shared by components without rules of their own.
pub(super) fn load_shared(context: &Context) -> Result<Option<Arc<Rules>>, Vec<Diagnostic>> {
    let rules = context.rules.as_deref().map(Rules::load);
    Ok(rules.transpose()?.map(Arc::new))
}

/// Returns the rules of a component, or the shared ones if it has none.
pub(super) fn read(metadata: &Metadata<'_>, report: &mut Report) -> Option<Arc<Rules>> {
    let Some(value) = metadata.value(KEY, report) else { return metadata.shared_rules.cloned() };
    let rules = if value.text.contains('\n') {
        read_inline(&value, report)
    } else {
        read_file(&value, metadata, report)
    };
    rules.map(Arc::new)
}

/// Reads rules that are written in the metadata.
fn read_inline(value: &ResolvedValue, report: &mut Report) -> Option<Rules> {
    let add = |errors: Vec<Diagnostic>| {
        for error in errors {
            let place = error.place.map_or_else(String::new, |it| format!("line {}: ", it.line));
            report.error(value.place, format!("{KEY}: {place}{}", error.message));
        }
    };
    Rules::read(value.text.clone(), Path::new("")).map_err(add).ok()
}

/// Reads the rules in a file. A relative path starts at the folder of the component's file.
fn read_file(value: &ResolvedValue, metadata: &Metadata<'_>, report: &mut Report) -> Option<Rules> {
    let path = metadata.folder.join(&value.text);
    report.depends_on(&path);
    let unreadable = |error: Diagnostic| {
        // Messages do not show a path that comes from the environment or a secret.
        let shown =
            metadata.literal(KEY).map_or_else(|| value.shown(), |_| path.display().to_string());
        report.error(value.place, format!("{KEY}: {shown} {}", error.message));
    };
    let text = files::read_regular(&path).map_err(unreadable).ok()?;
    let add = |errors: Vec<Diagnostic>| errors.into_iter().for_each(|error| report.add(error));
    let rules = Rules::read(text, &path).map_err(add).ok()?;
    rules.warnings().iter().for_each(|warning| report.add(warning.clone()));
    Some(rules)
}
