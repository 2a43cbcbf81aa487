//! Collects the diagnostics for one document, and shortens the lists of names in them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::base::diagnostics::{Diagnostic, Place, Severity};

/// Collects the diagnostics for one document.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The other files on which the document depends.
    pub(super) other_files: BTreeSet<PathBuf>,
}

impl Report {
    pub(super) fn error(&mut self, place: Place, message: impl Into<String>) {
        self.add(Diagnostic::error(message).at(place));
    }

    pub(super) fn warning(&mut self, place: Place, message: impl Into<String>) {
        self.add(Diagnostic::warning(message).at(place));
    }

    pub(super) fn info(&mut self, place: Place, message: impl Into<String>) {
        self.add(Diagnostic::info(message).at(place));
    }

    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Records a file on which the document depends.
    pub(super) fn depends_on(&mut self, file: &Path) {
        self.other_files.insert(file.to_owned());
    }

    pub(super) fn has_errors(&self) -> bool {
        self.first_error().is_some()
    }

    /// Returns `true` if there are errors in other files than those in a folder.
    pub(super) fn has_errors_outside(&self, folder: Option<&Path>) -> bool {
        let is_inside = |error: &Diagnostic| folder.is_some_and(|it| error.file.starts_with(it));
        let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
        self.diagnostics.iter().filter(is_error).any(|error| !is_inside(error))
    }

    /// Returns the first error that was added.
    pub(super) fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Makes errors of the diagnostics after the first `count`. Returns `true` if there are any.
    pub(super) fn raise_after(&mut self, count: usize) -> bool {
        let later = self.diagnostics.get_mut(count..).unwrap_or_default();
        later.iter_mut().for_each(|it| it.severity = Severity::Error);
        !later.is_empty()
    }

    /// Replaces all errors with one warning, for a component that has `ignoreErrors` set.
    pub(super) fn downgrade_errors(&mut self, place: Place, component: &str) {
        let is_error = |diagnostic: &mut Diagnostic| diagnostic.severity == Severity::Error;
        let mut errors: Vec<_> = self.diagnostics.extract_if(.., is_error).collect();
        if errors.is_empty() {
            return;
        }
        errors.sort();
        let has_file = |error: &Diagnostic| !error.file.as_os_str().is_empty();
        let text = |error: Diagnostic| {
            if has_file(&error) { error.to_string() } else { error.message }
        };
        let messages: Vec<_> = errors.into_iter().map(text).collect();
        let messages = messages.join(" | ");
        self.warning(
            place,
            format!("component {component} is skipped (spec.ignoreErrors): {messages}"),
        );
    }

    /// Returns the diagnostics: errors first, then warnings and informational messages, each sorted
    /// by place. Those that are not about another file are about `file`.
    pub(super) fn finish(mut self, file: &Path) -> impl Iterator<Item = Diagnostic> {
        self.diagnostics.sort();
        self.diagnostics.into_iter().map(move |diagnostic| {
            if diagnostic.file.as_os_str().is_empty() {
                diagnostic.in_file(file)
            } else {
                diagnostic
            }
        })
    }
}

/// Maximum number of names in a list.
const MAX_NAMES: usize = 10;

/// Joins the first of `count` names, and counts the others.
pub(super) fn listed<'a>(
    names: impl Iterator<Item = &'a str>,
    count: usize,
    separator: &str,
) -> String {
    let first: Vec<_> = names.take(MAX_NAMES).collect();
    let joined = first.join(separator);
    match count.saturating_sub(MAX_NAMES) {
        0 => joined,
        more => format!("{joined}{separator}… ({more} more)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_the_first_names() {
        let listed = |count| listed(["a"; 20].into_iter().take(count), count, " ");
        assert_eq!(listed(2), "a a");
        assert_eq!(listed(10), "a a a a a a a a a a");
        assert_eq!(listed(12), "a a a a a a a a a a … (2 more)");
    }
}
