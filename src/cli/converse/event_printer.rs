//! Prints the events of a tool loop run as they occur. In text format, the model's text goes to
//! stdout and the tool calls go to stderr. In JSON format, everything goes to stdout.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use super::{
    error::Error,
    json::{Event, Run},
    output::{Format, Output, note, note_finish_reason, note_line},
};
use crate::{
    base::terminal::{Styling, preview},
    chat::Response,
    tool_loop::{
        CallOutcome, CallRecord, LoopEnd, LoopEvent, LoopResult, Rendering, Wording,
        transcript::CallReader,
    },
};

/// Prints the events of runs, one run at a time.
#[derive(Debug)]
pub(super) struct EventPrinter<W> {
    output: Output<W>,
    format: Format,
    /// Whether to print text as it arrives instead of at the end of a turn.
    streams: bool,
    /// The text of the current turn that has not been printed yet. Unused if `streams` is set.
    buffered: String,
    /// Whether the model's text includes calls, which are printed like others.
    has_calls_in_text: bool,
    stderr: Styling,
    /// The ids of the calls that are in progress.
    running: BTreeSet<String>,
    /// Whether calls overlap, so that each result must show which call it belongs to.
    overlapping: bool,
}

impl<W: Write> EventPrinter<W> {
    pub(super) fn new(out: W, format: Format, streams: bool, stderr: Styling) -> Self {
        Self {
            output: Output::new(out),
            format,
            streams,
            buffered: String::new(),
            has_calls_in_text: false,
            stderr,
            running: BTreeSet::new(),
            overlapping: false,
        }
    }

    /// Sets whether the model's text includes calls. They are left out of the text, unless it is
    /// printed as it arrives.
    pub(super) fn with_calls_in_text(self, has_calls_in_text: bool) -> Self {
        Self { has_calls_in_text, ..self }
    }

    pub(super) fn print(&mut self, event: &LoopEvent) -> Result<(), Error> {
        match (self.format, event) {
            (Format::Text(styling), event) => self.print_text(event, styling)?,
            (Format::JsonLines, event) => {
                if let Some(event) = Event::new(event)? {
                    self.output.json(&event, false)?;
                }
            }
            (Format::Json { pretty }, LoopEvent::Ended(result)) => {
                self.output.json(&Run::try_from(result)?, pretty)?;
            }
            (Format::Json { .. }, _) => {}
        }
        Ok(self.output.flush()?)
    }

    fn print_text(&mut self, event: &LoopEvent, styling: Styling) -> io::Result<()> {
        match event {
            LoopEvent::Text(text) if self.streams => return self.output.text(text, styling),
            LoopEvent::Text(text) => self.buffered += text,
            LoopEvent::ToolStarted { id, name, arguments } => {
                self.end_text(styling)?;
                self.start_call(id, name, arguments);
            }
            LoopEvent::ToolFinished(record) => {
                self.end_text(styling)?;
                self.finish_call(record);
            }
            LoopEvent::Reasoning(_) | LoopEvent::ToolsFinished { .. } => {}
            LoopEvent::Ended(result) => {
                self.end_text(styling)?;
                note_end(result);
            }
        }
        Ok(())
    }

    /// Prints the buffered text and ends the line.
    fn end_text(&mut self, styling: Styling) -> io::Result<()> {
        let mut text = std::mem::take(&mut self.buffered);
        if self.has_calls_in_text {
            text = without_calls(text);
        }
        self.output.text(&text, styling)?;
        self.output.end_line()?;
        self.output.flush()
    }

    fn start_call(&mut self, id: &str, name: &str, arguments: &str) {
        self.overlapping = !self.running.is_empty();
        self.running.insert(id.to_owned());
        self.note_call(name, arguments);
    }

    fn finish_call(&mut self, record: &CallRecord) {
        // A call that was not run has no start event.
        if !self.running.remove(&record.id) {
            self.note_call(&record.name, &record.arguments);
        }
        if record.outcome != CallOutcome::Pending {
            self.note_result(record);
        }
    }

    fn note_call(&self, name: &str, arguments: &str) {
        let (label, name) = (self.stderr.dim("calls:"), self.stderr.bold(&preview(name)));
        note_line(&format!("{label} {name} {}", self.stderr.dim(&preview(arguments))));
    }

    fn note_result(&self, record: &CallRecord) {
        let (name, result) = (preview(&record.name), preview(record.result.text()));
        note_line(&self.stderr.dim(&match record.outcome {
            _ if self.overlapping => {
                format!("tool:  {name} {}: {result}", preview(&record.arguments))
            }
            // The result of a failed call contains the tool's name.
            CallOutcome::Failed(_) => format!("tool:  {result}"),
            _ => format!("tool:  {name}: {result}"),
        }));
    }
}

fn without_calls(text: String) -> String {
    let response = Response { content: text, ..Response::default() };
    Rendering::Text(Wording::default()).read(response, &CallReader::default()).content
}

fn note_end(result: &LoopResult) {
    if result.end != LoopEnd::Answered {
        return;
    }
    if let Some(response) = &result.response {
        note_finish_reason(response.finish_reason.as_str());
    }
    if result.text().is_empty() {
        note("the answer is empty");
    }
}
