//! Messages about files, each with a location.

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use super::terminal::escape_controls;

/// A message about a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// How serious the message is.
    pub severity: Severity,
    /// The file or folder. Empty until set by [`in_file`](Self::in_file).
    pub file: PathBuf,
    /// The position in the file. `None` if the message is about the file as a whole.
    pub place: Option<Place>,
    /// The text: what is wrong, and what would be valid.
    pub message: String,
}

/// How serious a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably has a mistake.
    Warning,
    /// Nothing is wrong.
    Info,
}

/// A position in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, counted from the start of the file, not of the YAML document.
    pub line: usize,
    /// The column in characters.
    pub column: usize,
}

impl Diagnostic {
    /// Creates an error without a file or a place.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// Creates a warning without a file or a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// Creates an informational message without a file or a place.
    pub fn info(message: impl Into<String>) -> Self {
        Self::new(Severity::Info, message)
    }

    fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, file: PathBuf::new(), place: None, message: message.into() }
    }

    /// Sets the place.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// Sets the file.
    #[must_use]
    pub fn in_file(self, file: impl AsRef<Path>) -> Self {
        Self { file: file.as_ref().to_owned(), ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One line: control characters in the path and the message are escaped.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display().to_string();
        f.write_str(&escape_controls(&file))?;
        if let Some(place) = self.place {
            write!(f, ":{place}")?;
        }
        write!(f, ": {}", escape_controls(&self.message))
    }
}

impl Error for Diagnostic {}
