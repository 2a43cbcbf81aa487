//! Collects the errors in a file, and what the file refers to.

use std::{
    hash::Hasher,
    path::{Path, PathBuf},
};

use twox_hash::XxHash3_64;

use crate::{base::diagnostics::Diagnostic, simulate::file::Places};

/// Collects the errors in a file, and the hash of the file and of the files that it refers to.
pub(super) struct Report<'a> {
    file: &'a Path,
    places: Places,
    errors: Vec<Diagnostic>,
    inputs: XxHash3_64,
}

impl<'a> Report<'a> {
    pub(super) fn new(file: &'a Path, text: &str) -> Self {
        let places = Places::new(text);
        let mut report = Self { file, places, errors: Vec::new(), inputs: XxHash3_64::new() };
        report.add_input(text);
        report
    }

    /// Adds an error about the value at a path such as `scenarios/0/customer`.
    pub(super) fn error(&mut self, path: &str, message: impl Into<String>) {
        let place = self.places.at(path);
        self.errors.push(Diagnostic::error(message).at(place).in_file(self.file));
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

    /// Adds the content of a file to the hash.
    pub(super) fn add_input(&mut self, text: &str) {
        self.inputs.write(&(text.len() as u64).to_le_bytes());
        self.inputs.write(text.as_bytes());
    }

    /// Returns the number of errors so far.
    pub(super) fn errors(&self) -> usize {
        self.errors.len()
    }

    /// Returns the errors in the order of their places.
    pub(super) fn into_errors(mut self) -> Vec<Diagnostic> {
        let own = self.file.to_owned();
        self.errors.sort_by_key(|error| (error.file != own, error.file.clone(), error.place));
        self.errors
    }

    /// Returns the hash of all inputs.
    pub(super) fn hash(&self) -> String {
        format!("{:016x}", self.inputs.finish())
    }
}
