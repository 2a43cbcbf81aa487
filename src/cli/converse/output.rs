//! Writes the answer to stdout, as text or JSON, and everything else to stderr.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::{
    base::{
        environment::Environment,
        terminal::{Styling, sanitize_for_terminal},
    },
    cli::args::ConverseArgs,
};

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// The text and the tool calls.
    Text(Styling),
    /// One JSON object: on one line, or indented if `pretty` is set.
    Json { pretty: bool },
    /// One line of JSON for each message of a stream or each event of the tool loop.
    JsonLines,
}

impl Format {
    pub(super) fn new(args: &ConverseArgs, environment: &Environment) -> Self {
        let is_terminal = io::stdout().is_terminal();
        match (args.json, args.stream) {
            (false, _) => Self::Text(Styling::new(is_terminal, environment)),
            (true, false) => Self::Json { pretty: is_terminal },
            (true, true) => Self::JsonLines,
        }
    }
}

/// Writes an answer, whose text may arrive in pieces.
#[derive(Debug)]
pub(super) struct Output<W> {
    out: W,
    pub(super) has_text: bool,
    /// Whether the last piece of text ended without a line break.
    line_is_open: bool,
}

impl<W: Write> Output<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, has_text: false, line_is_open: false }
    }

    pub(super) fn text(&mut self, text: &str, styling: Styling) -> io::Result<()> {
        if !text.is_empty() {
            self.has_text = true;
            self.line_is_open = !text.ends_with('\n');
        }
        write!(self.out, "{}", styling.plain(text))
    }

    /// Writes a line break if the last piece of text ended without one.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.line_is_open) {
            true => writeln!(self.out),
            false => Ok(()),
        }
    }

    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    pub(super) fn json(&mut self, value: &impl Serialize, pretty: bool) -> io::Result<()> {
        let to_string = if pretty { serde_json::to_string_pretty } else { serde_json::to_string };
        self.line(&to_string(value)?)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a message to stderr.
pub(super) fn note(text: &str) {
    note_line(&format!("mynah: {}", sanitize_for_terminal(text)));
}

/// Writes a message to stderr if the model did not finish normally.
pub(super) fn note_finish_reason(finish_reason: &str) {
    if !matches!(finish_reason, "" | "stop" | "tool_calls") {
        note(&format!("the model stopped early: {finish_reason}"));
    }
}

/// Writes a line, which must be sanitized, to stderr.
pub(super) fn note_line(line: &str) {
    // Ignore write errors: the reader is gone.
    let _ = writeln!(io::stderr(), "{line}");
}
