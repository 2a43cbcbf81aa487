//! Collects the errors in a file, and what the file refers to.

use std::path::{Path, PathBuf};

use mynah_core::base::diagnostics::Diagnostic;

use super::inputs::Inputs;
use crate::file::Places;

/// Collects the errors in a file, and the hash of what its results depend on.
pub(super) struct Report<'a> {
    file: &'a Path,
    places: Places,
    errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) inputs: Inputs,
}

impl<'a> Report<'a> {
    pub(super) fn new(file: &'a Path, text: &str) -> Self {
        let places = Places::new(text);
        // The results depend neither on the number of conversations at the same time, nor on where
        // answers are kept.
        let values = places.canonical(&["cache", "in_flight"]);
        let mut report =
            Self { file, places, errors: Vec::new(), warnings: Vec::new(), inputs: Inputs::new() };
        report.inputs.add(values.as_deref().unwrap_or(text));
        report.inputs.add_programs(text);
        report
    }

    /// Adds an error about the value at a path such as `scenarios/0/customer`.
    pub(super) fn error(&mut self, path: &str, message: impl Into<String>) {
        let place = self.places.at(path);
        self.errors.push(Diagnostic::error(message).at(place).in_file(self.file));
    }

    /// Adds a warning about the value at a path.
    pub(super) fn warning(&mut self, path: &str, message: impl Into<String>) {
        let place = self.places.at(path);
        self.warnings.push(Diagnostic::warning(message).at(place).in_file(self.file));
    }

    /// Adds an error about another file, or about this one if it has no file.
    pub(super) fn add(&mut self, path: &str, error: Diagnostic) {
        if error.file.as_os_str().is_empty() {
            self.error(path, error.message);
        } else if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// Returns the path of a file that is named relative to this file.
    pub(super) fn path_of(&self, named: &Path) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(named)
    }

    /// Returns the errors in the order of their places.
    pub(super) fn into_errors(mut self) -> Vec<Diagnostic> {
        let own = self.file.to_owned();
        self.errors.sort_by_key(|error| (error.file != own, error.file.clone(), error.place));
        self.errors
    }
}
