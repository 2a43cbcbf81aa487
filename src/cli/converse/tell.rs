//! A run of the tool loop as it happens: what the model says on standard output, what the tools do
//! on standard error; or all of it as JSON.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use super::{
    error::Error,
    json::{Ended, Event},
    note,
    print::{Form, note_reason},
};
use crate::{
    base::terminal::{Look, short},
    tool_loop::{CallOutcome, CallRecord, EndReason, LoopEvent, LoopResult},
};

/// Tells of runs, one after the other.
#[derive(Debug)]
pub(super) struct Teller<W> {
    out: W,
    form: Form,
    /// Whether text is told as it arrives, or a turn at a time.
    streams: bool,
    /// The text of a turn that is not told yet.
    held: String,
    line_is_open: bool,
    /// How standard error looks.
    aside: Look,
    /// Ids of the calls that were told when they started, and have no result yet.
    started: BTreeSet<String>,
    /// Whether there were several at once, so that a result must say of which it is.
    side_by_side: bool,
}

impl<W: Write> Teller<W> {
    pub(super) fn new(out: W, form: Form, streams: bool, aside: Look) -> Self {
        let (held, started) = (String::new(), BTreeSet::new());
        let (line_is_open, side_by_side) = (false, false);
        Self { out, form, streams, held, line_is_open, aside, started, side_by_side }
    }

    pub(super) fn tell(&mut self, event: &LoopEvent) -> Result<(), Error> {
        match (self.form, event) {
            (Form::Text(look), event) => self.say(event, look)?,
            (Form::JsonLines, event) => self.json(&Event::of(event)?, false)?,
            (Form::Json { pretty }, LoopEvent::Ended(result)) => {
                self.json(&Ended::of(result)?, pretty)?;
            }
            (Form::Json { .. }, _) => {}
        }
        Ok(self.out.flush()?)
    }

    fn json(&mut self, value: &impl serde::Serialize, pretty: bool) -> Result<(), Error> {
        let write = if pretty { serde_json::to_string_pretty } else { serde_json::to_string };
        let json = write(value).map_err(io::Error::from)?;
        Ok(writeln!(self.out, "{json}")?)
    }

    fn say(&mut self, event: &LoopEvent, look: Look) -> io::Result<()> {
        match event {
            LoopEvent::Text(text) if self.streams => return self.text(text, look),
            LoopEvent::Text(text) => self.held += text,
            LoopEvent::ToolStarted { id, name, arguments } => {
                self.end_text(look)?;
                self.side_by_side = !self.started.is_empty();
                self.started.insert(id.clone());
                self.tell_call(name, arguments);
            }
            LoopEvent::ToolFinished(record) => {
                self.end_text(look)?;
                // Of those that were not run, nobody has heard yet.
                if !self.started.remove(&record.id) {
                    self.tell_call(&record.name, &record.arguments);
                }
                self.tell_result(record);
            }
            LoopEvent::Ended(result) => {
                self.end_text(look)?;
                note_end(result);
            }
        }
        Ok(())
    }

    /// The text of a turn has come to its end, which is that of its line.
    fn end_text(&mut self, look: Look) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.text(&held, look)?;
        if std::mem::take(&mut self.line_is_open) {
            writeln!(self.out)?;
        }
        self.out.flush()
    }

    fn text(&mut self, text: &str, look: Look) -> io::Result<()> {
        if !text.is_empty() {
            self.line_is_open = !text.ends_with('\n');
        }
        write!(self.out, "{}", look.text(text))
    }

    fn tell_call(&self, name: &str, arguments: &str) {
        let (label, name) = (self.aside.dim("calls:"), self.aside.bold(&short(name)));
        tell_person(&format!("{label} {name} {}", self.aside.dim(&short(arguments))));
    }

    /// The text of a failure names the tool itself.
    fn tell_result(&self, record: &CallRecord) {
        let (name, result) = (short(&record.name), short(&record.result));
        tell_person(&self.aside.dim(&match record.outcome {
            _ if self.side_by_side => {
                format!("tool:  {name} {}: {result}", short(&record.arguments))
            }
            CallOutcome::Failed(_) => format!("tool:  {result}"),
            _ => format!("tool:  {name}: {result}"),
        }));
    }
}

fn tell_person(line: &str) {
    // Where nobody reads it, there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

fn note_end(result: &LoopResult) {
    if result.end != EndReason::Answered {
        return;
    }
    if let Some(response) = &result.response {
        note_reason(response.finish_reason.as_str());
    }
    if result.text().is_empty() {
        note("the answer is empty");
    }
}
