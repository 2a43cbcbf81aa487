//! Texts for terminals and for the logs of tests.

use std::fmt::Write;

use crate::base::terminal::escape_controls;

/// What the lines below another one begin with.
const INDENTATION: &str = "  ";

/// A text of indented lines without control characters.
#[derive(Debug, Default)]
pub(crate) struct Lines(String);

impl Lines {
    /// Adds a line. If its text has several, the others are indented further.
    pub(crate) fn add(&mut self, depth: usize, text: &str) {
        for (number, line) in text.lines().enumerate() {
            let depth = if number == 0 { depth } else { depth + 2 };
            let end = if self.0.is_empty() { "" } else { "\n" };
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{end}{}{}", INDENTATION.repeat(depth), escape_controls(line));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}
