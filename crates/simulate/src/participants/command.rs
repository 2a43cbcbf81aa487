//! A participant that is a program.

use std::{io, pin::pin, sync::Arc, time::Duration};

use bytes::BytesMut;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Either, select},
};
use mynah_agent::tools::{Argv, Process, StderrLog, describe};
use mynah_core::base::clock::within;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{ChildStdin, ChildStdout},
};

use super::external::{reply, turn_fields};
use crate::{Participant, ParticipantError, ParticipantRole, Reply, Turn};

/// Maximum length of a line that a program writes, in bytes.
const MAX_LINE: usize = 1 << 20;
/// Maximum length of the input that a program has not read, in bytes, when it gets more.
const MAX_UNREAD: usize = 16 << 20;
/// Number of characters of an invalid line that errors show.
const SHOWN: usize = 80;
/// Time for a program to exit after it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A participant that is a program. Each conversation has its own process, which is killed at the end.
///
/// For each turn, the program gets a line of JSON on standard input, and writes one to standard output.
///
/// ```
/// use mynah_simulate::{ParticipantRole, participants::CommandParticipant};
///
/// let agent = CommandParticipant::new(ParticipantRole::Agent, "python3", ["agent.py"]);
/// ```
#[derive(Debug)]
pub struct CommandParticipant {
    argv: Arc<Argv>,
    role: ParticipantRole,
    /// `None` before the first turn and after a failure.
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    process: Process,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    log: StderrLog,
    /// Input that the program has not read yet.
    unread: BytesMut,
}

impl CommandParticipant {
    /// Creates a participant that runs a program with arguments.
    pub fn new<A: Into<String>>(
        role: ParticipantRole,
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self::run(role, Arc::new(Argv { program: program.into(), arguments }))
    }

    pub(crate) fn run(role: ParticipantRole, argv: Arc<Argv>) -> Self {
        Self { argv, role, running: None }
    }

    async fn ask(&mut self, input: &str) -> Result<Value, String> {
        let running = match self.running.take() {
            Some(mut running) => {
                running.check_silence()?;
                running
            }
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
            let input = turn_fields(&turn, self.role);
            let answer = self.ask(&format!("{input}\n")).await;
            let named = |error| ParticipantError::new(format!("{}: {error}", self.argv.program));
            reply(answer.map_err(named)?, self.role)
        }
        .boxed()
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
            let (stdout, unread) = (BufReader::new(stdout), BytesMut::new());
            Ok(Self { process, stdin, stdout, log, unread })
        };
        start().map_err(|error: io::Error| format!("cannot run: {error}"))
    }

    /// Fails if the program has written more than the replies that were read. The next replies would
    /// belong to other turns.
    fn check_silence(&mut self) -> Result<(), String> {
        match self.stdout.fill_buf().now_or_never() {
            Some(Ok(bytes)) if !bytes.is_empty() => {
                Err("the program wrote more than one line in a turn".to_owned())
            }
            // The next reply fails if the program has ended.
            _ => Ok(()),
        }
    }

    /// Writes a line and reads the answer.
    async fn ask(&mut self, input: &str) -> Result<Value, String> {
        if self.unread.len() > MAX_UNREAD {
            return Err("the program does not read its input".to_owned());
        }
        self.unread.extend_from_slice(input.as_bytes());
        let Self { stdin, stdout, unread, .. } = self;
        let mut line = Vec::new();
        let write = async {
            while !unread.is_empty() {
                // Ignore write errors: a program that has ended also closes its output.
                if stdin.write_buf(unread).await.is_err() {
                    unread.clear();
                }
            }
        };
        let mut limited = stdout.take(MAX_LINE as u64 + 1);
        let read = limited.read_until(b'\n', &mut line);
        // A program may reply before it has read all its input.
        let read = match select(pin!(read), pin!(write)).await {
            Either::Left((read, _)) => read,
            Either::Right(((), read)) => read.await,
        };
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
