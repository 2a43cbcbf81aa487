//! Collects the diagnostics for one document.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::base::diagnostics::{Diagnostic, Place, Severity};

/// Collects the diagnostics for one document.
#[derive(Debug, Default)]
pub(super) struct Report {
    diagnostics: Vec<Diagnostic>,
    /// The other files on which the document depends.
    other_files: BTreeSet<PathBuf>,
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

    /// Returns the other files on which the document depends.
    pub(super) fn other_files(&self) -> &BTreeSet<PathBuf> {
        &self.other_files
    }

    pub(super) fn has_errors(&self) -> bool {
        self.first_error().is_some()
    }

    /// Returns the first error that was added.
    pub(super) fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)
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

    /// Returns the diagnostics in the order in which they were added.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
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
