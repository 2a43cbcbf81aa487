//! The texts that rules are read from.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// A text of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesText {
    /// What counters and reports call the text. Only the texts of a session share it.
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
