//! Errors of `mynah converse`, with their messages and exit codes.

use std::io;

use thiserror::Error as ThisError;

use crate::{
    base::diagnostics::Diagnostic,
    cli::signals::Signal,
    client,
    tool_loop::{LoopEnd, SettingsError},
    wire,
};

/// An error that leaves the user without an answer.
#[derive(Debug, ThisError)]
pub(crate) enum Error {
    /// There is neither a prompt nor a history.
    #[error("no prompt; pass one, such as mynah converse 'Hello, mynah!', or write it to stdin")]
    NoPrompt,
    /// The prompt, the history or the tools file cannot be read.
    #[error("{0}")]
    Input(Diagnostic),
    /// The call to the sidecar failed.
    #[error("{}{}", .0, hint(.0))]
    Client(client::Error),
    /// The request is invalid, or the answer cannot be converted to JSON.
    #[error(transparent)]
    Message(#[from] wire::error::Error),
    /// The tools or the limits of the tool loop are invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The tool loop ended without an answer.
    #[error("{}", no_answer(.end, *.turns))]
    Ended {
        /// The reason.
        end: LoopEnd,
        /// The number of model turns.
        turns: u32,
    },
    /// A signal cancelled the call.
    #[error("cancelled")]
    Cancelled(Signal),
    /// Writing the answer to stdout failed.
    #[error("cannot write the answer")]
    Output(#[from] io::Error),
    /// Signal handlers or the thread that reads stdin could not be set up.
    #[error("cannot set up the terminal: {0}")]
    Terminal(io::Error),
}

impl Error {
    /// Returns the exit code: 64 (`EX_USAGE`) if the command line or the environment is invalid,
    /// 128 plus the signal's number after a signal, otherwise 1.
    pub(crate) fn exit_code(&self) -> u8 {
        use client::Error::{InvalidAddress, InvalidToken, TlsUnsupported};
        match self {
            Self::NoPrompt | Self::Client(InvalidAddress(_) | TlsUnsupported(_) | InvalidToken) => {
                64
            }
            Self::Cancelled(signal) => signal.exit_code(),
            _ => 1,
        }
    }
}

// Written by hand: `#[from]` would also make the client's error the source, and its message would
// be printed twice.
impl From<client::Error> for Error {
    fn from(error: client::Error) -> Self {
        Self::Client(error)
    }
}

fn no_answer(end: &LoopEnd, turns: u32) -> String {
    match end {
        LoopEnd::ModelError(error) => error.to_string(),
        LoopEnd::MaxTurns => {
            format!("no answer within the turn limit of {turns} (set by --max-turns)")
        }
        LoopEnd::CallerTools => {
            "no answer: the model called tools of the history that are not in --tools".to_owned()
        }
        LoopEnd::Answered | LoopEnd::Stalled | LoopEnd::Budget | LoopEnd::Cancelled => {
            end.to_string()
        }
    }
}

/// Returns an addition to the message that names the flags and variables to change.
fn hint(error: &client::Error) -> &'static str {
    use client::Error::{
        InvalidAddress, InvalidToken, NotListening, SeveralComponents, TlsUnsupported,
    };
    match error {
        InvalidAddress(_) | TlsUnsupported(_) => {
            " (from --address, DAPR_GRPC_ENDPOINT or DAPR_GRPC_PORT)"
        }
        InvalidToken => " (from DAPR_API_TOKEN)",
        NotListening(_) => ", or set another address with --address",
        SeveralComponents { .. } => " (with --component)",
        _ => "",
    }
}
