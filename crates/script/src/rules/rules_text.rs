//! The texts that rules are read from.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// A text of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesText {
    /// What counters and reports call the text. No two texts in use have the same.
    pub source: Arc<str>,
    /// The file, unless the text is in the metadata of a component.
    pub file: Option<PathBuf>,
    /// The text itself.
    pub text: String,
}

impl RulesText {
    /// Creates the text of a file.
    pub fn of_file(file: &Path, text: String) -> Self {
        let source = file.display().to_string().into();
        Self { source, file: Some(file.to_owned()), text }
    }
}
