//! The texts that rules are read from.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use mynah_core::base::{
    diagnostics::Diagnostic,
    yaml::{self, Size, Tree},
};

/// Maximum size of a recording, whose file has a limit of its own.
pub(crate) const MAX_RECORDING: Size = Size { values: 8_000_000, text: 128 << 20 };

/// A text of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesText {
    /// What counters and reports call the text. Only the texts of a session share it.
    pub source: Arc<str>,
    /// The file, unless the text is in the metadata of a component.
    pub file: Option<PathBuf>,
    /// The text itself.
    pub text: String,
    /// Maximum size of the document.
    max_size: Size,
}

impl RulesText {
    /// Creates a text that is not in a file.
    pub fn new(source: &str, text: String) -> Self {
        Self { source: source.into(), file: None, text, max_size: Size::MAX }
    }

    /// Creates the text of a file.
    pub fn of_file(file: &Path, text: String) -> Self {
        Self { file: Some(file.to_owned()), ..Self::new(&file.display().to_string(), text) }
    }

    /// Creates the text of a recording, which may be larger than other files.
    pub fn of_recording(file: &Path, text: String) -> Self {
        Self { max_size: MAX_RECORDING, ..Self::of_file(file, text) }
    }

    /// Parses the text.
    pub(super) fn parse(&self) -> Result<Option<Tree>, Diagnostic> {
        yaml::parse_own_up_to(self.max_size, &self.text)
    }
}
