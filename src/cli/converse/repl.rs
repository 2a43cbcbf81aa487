//! An interactive session: reads prompts from stdin, line by line, and prints the answers. Each
//! request contains the whole conversation.

use std::{
    io::{self, ErrorKind, Write},
    sync::Arc,
    thread,
};

use futures_util::StreamExt;
use tokio::sync::mpsc::{self, Receiver};

use super::{error::Error, event_printer::EventPrinter, output::note};
use crate::{
    chat::{Message, Request, Role},
    cli::signals::{Signal, Signals},
    client::{self, RemoteComponent},
    tool_loop::{CancellationToken, LoopEnd, LoopEvent, LoopResult, ToolLoop},
};

const HELP: &str = "Ctrl-D, Ctrl-C or /quit exits; Ctrl-C during an answer cancels the answer";

/// Answers each line of stdin until stdin ends. Ctrl-C cancels the current answer, or exits if no
/// answer is in progress.
///
/// If the history in `request` ends with a message that needs an answer, answers this message
/// first.
pub(super) async fn run(
    runner: &mut Runner<impl Write>,
    mut request: Request,
) -> Result<(), Error> {
    note(&format!("talking to {}; Ctrl-D or /quit exits", runner.model.name()));
    let mut lines = read_lines().map_err(Error::Terminal)?;
    if request.messages.last().is_some_and(needs_answer) {
        answer(runner, &mut request).await?;
    }
    loop {
        write_stderr("you> ");
        let line = tokio::select! {
            line = lines.recv() => line,
            received = runner.signals.next() => {
                write_stderr("\n");
                return Err(Error::Cancelled(received.signal));
            }
        };
        match line {
            None => {
                write_stderr("\n");
                return Ok(());
            }
            Some(Err(error)) => note(&format!("line ignored: {error}")),
            Some(Ok(line)) if line.trim() == "/quit" => return Ok(()),
            Some(Ok(line)) if is_command(line.trim()) => note(HELP),
            Some(Ok(line)) if line.trim().is_empty() => {}
            Some(Ok(line)) => {
                request.messages.push(Message::new(Role::User, line));
                answer(runner, &mut request).await?;
            }
        }
    }
}

/// Answers the last message and appends the answer, with its tool calls, to the history. If the
/// model never responded to a prompt, removes the prompt from the history instead. Results of tools
/// are kept, because the calls before them need them.
async fn answer(runner: &mut Runner<impl Write>, request: &mut Request) -> Result<(), Error> {
    let run = runner.run(request.clone()).await?;
    let answered = run.check_answered();
    match &answered {
        Err(Error::Cancelled(signal)) if *signal != Signal::Interrupt => return answered,
        Err(error) => note(&error.to_string()),
        Ok(()) => {}
    }
    update_history(&mut request.messages, run.result);
    Ok(())
}

fn update_history(history: &mut Vec<Message>, result: LoopResult) {
    if result.turns > 0 {
        *history = result.transcript;
    } else {
        history.pop_if(|message| message.role == Role::User);
    }
}

/// Returns `true` for `/help` and for unknown commands, which are not sent to the model.
fn is_command(line: &str) -> bool {
    let word = line.strip_prefix('/');
    word.is_some_and(|word| word.chars().all(|char| char.is_ascii_alphabetic()))
}

fn needs_answer(message: &Message) -> bool {
    matches!(message.role, Role::User | Role::Tool { .. })
}

fn write_stderr(text: &str) {
    let mut stderr = io::stderr();
    // Ignore write errors: the reader is gone.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Reads the lines of stdin on a detached thread, because a blocking read cannot be cancelled.
fn read_lines() -> io::Result<Receiver<io::Result<String>>> {
    let (sender, lines) = mpsc::channel(1);
    let read = move || {
        for line in io::stdin().lines() {
            let is_last = line.as_ref().is_err_and(|error| error.kind() != ErrorKind::InvalidData);
            if sender.blocking_send(line).is_err() || is_last {
                break;
            }
        }
    };
    thread::Builder::new().name("stdin".to_owned()).spawn(read)?;
    Ok(lines)
}

/// Runs the tool loop and prints its events.
pub(super) struct Runner<W> {
    tool_loop: ToolLoop,
    model: Arc<RemoteComponent>,
    printer: EventPrinter<W>,
    signals: Signals,
}

/// A run that has ended.
pub(super) struct FinishedRun {
    pub(super) result: LoopResult,
    /// The signal that cancelled the run.
    signal: Option<Signal>,
}

impl<W: Write> Runner<W> {
    pub(super) fn new(
        model: RemoteComponent,
        tool_loop: ToolLoop,
        printer: EventPrinter<W>,
    ) -> Result<Self, Error> {
        let signals = Signals::for_cancellation().map_err(Error::Terminal)?;
        Ok(Self { tool_loop, model: Arc::new(model), printer, signals })
    }

    /// Runs the loop until it ends. A signal cancels the run.
    pub(super) async fn run(&mut self, request: Request) -> Result<FinishedRun, Error> {
        let cancel = CancellationToken::new();
        let mut events =
            self.tool_loop.run(self.model.clone(), request).cancel_with(cancel.clone()).stream();
        let mut cancelled_by = None;
        loop {
            let event = tokio::select! {
                event = events.next() => event.ok_or(client::Error::Truncated)?,
                received = self.signals.next() => {
                    cancelled_by = Some(received.signal);
                    cancel.cancel();
                    continue;
                }
            };
            self.printer.print(&event)?;
            if let LoopEvent::Ended(result) = event {
                return Ok(FinishedRun { result, signal: cancelled_by });
            }
        }
    }
}

impl FinishedRun {
    /// Returns an error unless the run ended with an answer.
    pub(super) fn check_answered(&self) -> Result<(), Error> {
        match (&self.result.end, self.signal) {
            (LoopEnd::Answered, _) => Ok(()),
            (LoopEnd::Cancelled, Some(signal)) => Err(Error::Cancelled(signal)),
            (end, _) => Err(Error::Ended { end: end.clone(), turns: self.result.turns }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{provider::ProviderError, tool_loop::LoopEnd};

    /// Returns the history after a run in which the model failed before it responded.
    fn after_error(last: Role) -> Vec<Message> {
        let mut history = vec![Message::new(last, "last")];
        let result = LoopResult {
            response: None,
            reasoning: String::new(),
            transcript: history.clone(),
            calls: Vec::new(),
            turns: 0,
            usage: None,
            end: LoopEnd::ModelError(ProviderError::internal("no")),
        };
        update_history(&mut history, result);
        history
    }

    #[test]
    fn removes_only_a_prompt_after_an_error() {
        assert_eq!(after_error(Role::User), []);
        let result = Role::Tool { id: Some("1".to_owned()), name: "f".to_owned() };
        assert_eq!(after_error(result.clone()), [Message::new(result, "last")]);
    }
}
