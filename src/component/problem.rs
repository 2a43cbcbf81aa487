//! What loading has to say: problems, which stop the start, and notices, which do not.

use std::{fmt, path::PathBuf};

/// A position in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line of the file, not of the document.
    pub line: usize,
    /// Column in characters.
    pub column: usize,
}

/// Something that must be mended before the components can serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub file: PathBuf,
    /// Where in the file; `None` where the file as a whole is meant.
    pub place: Option<Place>,
    /// What is wrong, and what would be valid.
    pub message: String,
}

/// Something worth knowing that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// How loud to say it.
    pub level: Level,
    /// The file.
    pub file: PathBuf,
    /// Where in the file; `None` where the file as a whole is meant.
    pub place: Option<Place>,
    /// What there is to know.
    pub message: String,
}

/// How loud a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Info,
    /// Probably a mistake.
    Warning,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_located(f, &self.file, self.place, &self.message)
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_located(f, &self.file, self.place, &self.message)
    }
}

fn write_located(
    f: &mut fmt::Formatter<'_>,
    file: &std::path::Path,
    place: Option<Place>,
    message: &str,
) -> fmt::Result {
    match place {
        Some(place) => write!(f, "{}:{place}: {message}", file.display()),
        None => write!(f, "{}: {message}", file.display()),
    }
}
