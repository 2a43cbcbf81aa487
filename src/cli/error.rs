//! Command errors, with their messages and exit codes.

use std::{error::Error, fmt::Write, io};

use thiserror::Error as ThisError;

#[cfg(target_os = "linux")]
use super::supervisor;
use super::{
    config::ConfigError, control_client::ControlClientError, converse, diff, inspect, man,
    run::RunError, simulate,
};
use crate::{
    base::{diagnostics::Diagnostic, terminal::escape_controls},
    server::{ServeError, StartError},
};

/// The exit code for wrong usage, from `sysexits.h`.
pub(super) const USAGE: u8 = 64;

/// An error that ends a command.
#[derive(Debug, ThisError)]
pub(super) enum CliError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Supervise(#[from] supervisor::SuperviseError),
    #[error(transparent)]
    Converse(#[from] converse::Error),
    #[error(transparent)]
    Control(#[from] ControlClientError),
    #[error(transparent)]
    Simulate(#[from] simulate::Error),
    #[error(transparent)]
    Inspect(#[from] inspect::Error),
    #[error(transparent)]
    Man(#[from] man::Error),
    #[error(transparent)]
    Diff(#[from] diff::Error),
    #[error("{0}")]
    Explain(Diagnostic),
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    #[error("second signal received; calls in flight were cut off")]
    SecondSignal,
}

impl CliError {
    /// Returns the exit code that shells use or `sysexits.h` defines for the error, otherwise 1.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) => USAGE,
            Self::Run(error) => error.exit_code(),
            #[cfg(target_os = "linux")]
            Self::Supervise(error) => error.exit_code(),
            Self::Converse(error) => error.exit_code(),
            Self::Simulate(error) => error.exit_code(),
            Self::Control(error) => error.exit_code(),
            _ => 1,
        }
    }

    /// Returns the message, followed by the messages of the causes. Control characters are escaped.
    pub(super) fn message(&self) -> String {
        let mut message = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            // Writing to a string does not fail.
            let _ = write!(message, ": {error}");
            cause = error.source();
        }
        let mut message = escape_controls(&message).into_owned();
        let diagnostics = self.diagnostics();
        if !diagnostics.is_empty() {
            message.push(':');
        }
        for diagnostic in diagnostics {
            let _ = write!(message, "\n  {diagnostic}");
        }
        message
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Simulate(error) => error.diagnostics(),
            Self::Control(error) => error.diagnostics(),
            Self::Diff(error) => error.diagnostics(),
            Self::Start(error) | Self::Run(RunError::Start(error)) => error.diagnostics(),
            _ => &[],
        }
    }
}
