//! The command of `mynah run`: how it starts and ends.

use std::{
    ffi::{OsStr, OsString},
    io,
    process::ExitStatus,
};

use thiserror::Error as ThisError;

/// Where this program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// In an executable of its own, which can be started again.
    Executable,
    /// In another program.
    Embedded,
}

/// The command cannot be started.
#[derive(Debug, ThisError)]
#[error("cannot run {}", .program.display())]
pub(super) struct CannotRun {
    /// The name or path of the program.
    program: OsString,
    /// The cause.
    source: io::Error,
}

impl CannotRun {
    pub(super) fn new(command: &[OsString], source: io::Error) -> Self {
        Self { program: split(command).0.to_owned(), source }
    }

    /// Returns the exit code that shells use for the error.
    pub(super) fn exit_code(&self) -> u8 {
        if self.source.kind() == io::ErrorKind::NotFound { 127 } else { 126 }
    }
}

/// Returns the program and the arguments of a command.
pub(super) fn split(command: &[OsString]) -> (&OsStr, &[OsString]) {
    command.split_first().map_or((OsStr::new(""), &[]), |(program, rest)| (program, rest))
}

/// Returns the exit code that shells use for a status.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
