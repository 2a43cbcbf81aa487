//! Why a command failed, and its exit code.

use std::{error::Error, fmt::Write, io};

use thiserror::Error as ThisError;

use super::{config::ConfigError, converse, run::RunError};
use crate::server::StartError;

/// Exit code of wrong usage, from `sysexits.h`.
pub(super) const USAGE: u8 = 64;

/// Why a command failed.
#[derive(Debug, ThisError)]
pub(super) enum CliError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Converse(#[from] converse::Error),
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    #[error("second signal: calls in flight were cut")]
    SecondSignal,
}

impl CliError {
    /// The exit code, following shells and `sysexits.h`.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) => USAGE,
            Self::Run(error) => error.exit_code(),
            Self::Converse(error) => error.exit_code(),
            _ => 1,
        }
    }

    /// The message, followed by those of its causes.
    pub(super) fn message(&self) -> String {
        let mut message = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            // Writing to a string does not fail.
            let _ = write!(message, ": {error}");
            cause = error.source();
        }
        message
    }
}
