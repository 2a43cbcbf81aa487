//! Collects the errors in a file, and what the file refers to.

use std::{
    hash::Hasher,
    path::{Path, PathBuf},
};

use mynah_core::base::{
    diagnostics::Diagnostic,
    files,
    yaml::{self, Node, Value},
};
use twox_hash::XxHash3_64;

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

/// The hash of what the results of a run depend on: the values of the file, the files that it refers
/// to, the values that these refer to, and the version of mynah.
pub(super) struct Inputs(XxHash3_64);

impl Inputs {
    pub(super) fn new() -> Self {
        let mut inputs = Self(XxHash3_64::new());
        inputs.add(env!("CARGO_PKG_VERSION"));
        inputs
    }

    /// Adds a text.
    pub(super) fn add(&mut self, text: &str) {
        self.0.write(&(text.len() as u64).to_le_bytes());
        self.0.write(text.as_bytes());
    }

    /// Adds a YAML file, and the text files that its commands name.
    pub(super) fn add_yaml(&mut self, text: &str) {
        self.add(text);
        self.add_programs(text);
    }

    /// Adds the text files that commands in a YAML file name, such as scripts. Commands run in the
    /// working directory.
    fn add_programs(&mut self, yaml: &str) {
        let tree = yaml::parse_own(yaml).ok().flatten();
        let mut words = Vec::new();
        tree.iter().for_each(|tree| collect_words(&tree.root, false, &mut words));
        for word in words {
            // Other words are not files, and programs are rarely text.
            if let Ok(text) = files::read_regular(Path::new(word)) {
                self.add(word);
                self.add(&text);
            }
        }
    }

    pub(super) fn hash(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// Collects the scalars under keys named `command`.
fn collect_words<'n>(node: &'n Node, is_command: bool, words: &mut Vec<&'n str>) {
    match &node.value {
        Value::Plain(word) | Value::Text(word) if is_command => words.push(word),
        Value::Plain(_) | Value::Text(_) => {}
        Value::List(nodes) => {
            nodes.iter().for_each(|node| collect_words(node, is_command, words));
        }
        Value::Map(entries) => entries.iter().for_each(|(key, entry)| {
            collect_words(&entry.node, is_command || key == "command", words);
        }),
    }
}
