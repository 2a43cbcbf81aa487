//! Errors of `mynah simulate`, with their messages and exit codes.

use std::io;

use thiserror::Error as ThisError;

use crate::{
    base::{diagnostics::Diagnostic, text::count},
    cli::signals::Signal,
    simulate::{ConnectError, RunError},
};

/// An error that ends a simulation.
#[derive(Debug, ThisError)]
pub(crate) enum Error {
    /// The file, or a file that it refers to, is invalid.
    #[error("the simulation is invalid")]
    Invalid(Vec<Diagnostic>),
    /// A sidecar or a server of tools cannot be used.
    #[error("cannot start: {0}")]
    Connect(#[from] ConnectError),
    /// The results cannot be written or read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A signal ended the command.
    #[error("cancelled")]
    Cancelled(Signal),
    /// A signal ended the run. Its results so far are stored.
    #[error(
        "cancelled after {stored} of {conversations} conversations; to continue, run the same command again"
    )]
    Stopped {
        /// The number of stored conversations.
        stored: usize,
        /// The number of conversations.
        conversations: usize,
        /// The signal.
        signal: Signal,
    },
    /// Conversations failed, and the exit code was to tell.
    #[error("{failed} of {} failed", count(*.conversations, "conversation"))]
    Failed {
        /// The number of conversations that failed.
        failed: usize,
        /// The number of conversations.
        conversations: usize,
    },
    /// Signal handlers could not be set up.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
}

impl Error {
    /// Returns the exit code: 128 plus the signal's number after a signal, otherwise 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Cancelled(signal) | Self::Stopped { signal, .. } => signal.exit_code(),
            _ => 1,
        }
    }

    /// Returns the errors in files.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Invalid(diagnostics) => diagnostics,
            _ => &[],
        }
    }
}
