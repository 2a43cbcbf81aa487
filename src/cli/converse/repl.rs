//! A conversation: what is typed, line by line, and the answers, with all that was said before.

use std::{
    io::{self, ErrorKind, Write},
    thread,
};

use tokio::sync::mpsc::{self, Receiver};

use super::{error::Error, note, run::Runner};
use crate::{
    chat::{Message, Request, Role},
    cli::signals::Signal,
};

const HELP: &str = "Ctrl-D or /quit ends the conversation, as Ctrl-C does here; \
                    Ctrl-C during an answer cancels it";

/// Answers what is typed, to its end. Ctrl-C cancels an answer; while nothing is asked, it ends.
///
/// The request is what was said before; if nobody has answered it, it is asked first.
pub(super) async fn converse(
    runner: &mut Runner<impl Write>,
    mut request: Request,
) -> Result<(), Error> {
    note(&format!("this is {}; Ctrl-D or /quit ends the conversation", runner.model.name()));
    let mut lines = lines().map_err(Error::Terminal)?;
    let mut is_asked = request.messages.last().is_some_and(is_question);
    loop {
        if std::mem::take(&mut is_asked) {
            answer(runner, &mut request).await?;
        }
        ask("you> ");
        let line = tokio::select! {
            line = lines.recv() => line,
            signal = runner.signals.next() => {
                ask("\n");
                return Err(Error::Cancelled(signal));
            }
        };
        match line {
            None => {
                ask("\n");
                return Ok(());
            }
            Some(Err(error)) => note(&format!("not asked: {error}")),
            Some(Ok(line)) if line.trim() == "/quit" => return Ok(()),
            Some(Ok(line)) if is_command(line.trim()) => note(HELP),
            Some(Ok(line)) if line.trim().is_empty() => {}
            Some(Ok(line)) => {
                request.messages.push(Message::new(Role::User, line));
                is_asked = true;
            }
        }
    }
}

/// Asks, and takes what was said into the history; a question without any answer is forgotten.
async fn answer(runner: &mut Runner<impl Write>, request: &mut Request) -> Result<(), Error> {
    let ran = runner.run(request.clone()).await?;
    let answered = ran.answered();
    match &answered {
        Err(Error::Cancelled(signal)) if *signal != Signal::Interrupt => return answered,
        Err(why) => note(&why.to_string()),
        Ok(()) => {}
    }
    if ran.result.turns > 0 {
        request.messages = ran.result.transcript;
    } else {
        request.messages.pop();
    }
    Ok(())
}

/// Whether it is `/help`, or a slip of the like, which no model should be asked.
fn is_command(line: &str) -> bool {
    let word = line.strip_prefix('/');
    word.is_some_and(|word| word.chars().all(|char| char.is_ascii_alphabetic()))
}

fn is_question(message: &Message) -> bool {
    matches!(message.role, Role::User | Role::Tool { .. })
}

/// Not the answer: it goes to standard error.
fn ask(text: &str) {
    let mut terminal = io::stderr();
    let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
}

/// The lines of standard input, read by a thread that nobody waits for at the end.
fn lines() -> io::Result<Receiver<io::Result<String>>> {
    let (sender, lines) = mpsc::channel(1);
    let read = move || {
        for line in io::stdin().lines() {
            let is_over = line.as_ref().is_err_and(|error| error.kind() != ErrorKind::InvalidData);
            if sender.blocking_send(line).is_err() || is_over {
                break;
            }
        }
    };
    thread::Builder::new().name("terminal".to_owned()).spawn(read)?;
    Ok(lines)
}
