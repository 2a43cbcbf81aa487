//! A participant that is a program.

use std::{io, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{ChildStdin, ChildStdout},
};

use super::external::{reply, turn_fields};
use crate::{
    base::clock::within,
    simulate::{Intent, Participant, ParticipantError, ParticipantRole, Reply, Turn},
    tools::{Argv, Process, StderrLog, describe},
};

/// Maximum length of a line that a program writes, in bytes.
const MAX_LINE: usize = 1 << 20;
/// Number of characters of an invalid line that errors show.
const SHOWN: usize = 80;
/// Time for a program to exit after it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A participant that is a program. Each conversation has its own process, which is killed at the end.
#[derive(Debug)]
pub(in crate::simulate) struct CommandParticipant {
    argv: Arc<Argv>,
    role: ParticipantRole,
    intents: Vec<String>,
    /// `None` before the first turn and after a failure.
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    process: Process,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    log: StderrLog,
}

impl CommandParticipant {
    pub(in crate::simulate) fn new(argv: Arc<Argv>, role: ParticipantRole) -> Self {
        Self { argv, role, intents: Vec::new(), running: None }
    }

    async fn ask(&mut self, input: &str) -> Result<Value, String> {
        let running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.argv)?,
        };
        // If the turn fails, the program must not answer a later turn.
        let running = self.running.insert(running);
        let answer = running.ask(input).await;
        if answer.is_err() {
            self.running = None;
        }
        answer
    }
}

impl Participant for CommandParticipant {
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        async move {
            let input = turn_fields(&turn, self.role, &self.intents);
            let answer = self.ask(&format!("{input}\n")).await;
            let named = |error| ParticipantError::new(format!("{}: {error}", self.argv.program));
            reply(answer.map_err(named)?, self.role)
        }
        .boxed()
    }

    fn with_intent(&self, intent: &Intent) -> Box<dyn Participant> {
        let mut intents = self.intents.clone();
        intents.push(intent.description.clone());
        Box::new(Self { argv: self.argv.clone(), role: self.role, intents, running: None })
    }

    fn is_external(&self) -> bool {
        true
    }
}

impl Running {
    fn start(argv: &Argv) -> Result<Self, String> {
        let start = || {
            let mut process = Process::start(argv)?;
            let (stdin, stdout, stderr) = process.take_pipes()?;
            let log = StderrLog::copy(stderr, argv.program.clone());
            Ok(Self { process, stdin, stdout: BufReader::new(stdout), log })
        };
        start().map_err(|error: io::Error| format!("cannot run: {error}"))
    }

    /// Writes a line and reads the answer.
    async fn ask(&mut self, input: &str) -> Result<Value, String> {
        let Self { stdin, stdout, .. } = self;
        let mut line = Vec::new();
        // Ignore write errors: a program that has ended also closes its output.
        let write = async {
            let _ = stdin.write_all(input.as_bytes()).await;
            let _ = stdin.flush().await;
        };
        let mut limited = stdout.take(MAX_LINE as u64 + 1);
        let (read, ()) = futures_util::join!(limited.read_until(b'\n', &mut line), write);
        read.map_err(|error| format!("cannot read the reply: {error}"))?;
        match line.last() {
            Some(b'\n') => parse(&line),
            _ if line.len() > MAX_LINE => Err("the reply is longer than 1 MiB".to_owned()),
            _ => Err(self.ending().await),
        }
    }

    /// Finds out why there is no reply.
    async fn ending(&mut self) -> String {
        let status = within(EXIT_TIMEOUT, self.process.wait()).await;
        let mut reason = match status {
            Some(Ok(status)) => describe(status),
            _ => "it closed its output".to_owned(),
        };
        let line = self.log.last_line(EXIT_TIMEOUT).await;
        if !line.is_empty() {
            reason += &format!(": {line}");
        }
        format!("no reply: {reason}")
    }
}

fn parse(line: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(line).map_err(|error| {
        let text = String::from_utf8_lossy(line);
        let start: String = text.trim_end().chars().take(SHOWN).collect();
        format!("the reply is not a line of JSON: {error}: {start:?}")
    })
}
