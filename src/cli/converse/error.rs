//! Why there is no answer.

use std::io;

use thiserror::Error as ThisError;

use crate::{
    base::diagnostics::Diagnostic,
    cli::signals::Signal,
    client,
    tool_loop::{EndReason, SettingsError},
    wire,
};

/// Why there was nothing to ask, or no answer.
#[derive(Debug, ThisError)]
pub enum Error {
    /// There is nothing to ask.
    #[error(
        "there is no prompt; write one, such as mynah converse 'Hello, mynah!', \
         or send it to standard input"
    )]
    NoPrompt,
    /// The prompt, the history or the tools cannot be read.
    #[error("{0}")]
    Input(Diagnostic),
    /// The sidecar gave no answer.
    #[error("{}{}", .0, hint(.0))]
    Client(client::Error),
    /// The request is none that a model could be asked, or the answer cannot be written as JSON.
    #[error(transparent)]
    Message(#[from] wire::error::Error),
    /// The tools cannot be run as they are.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The model gave no answer.
    #[error("{}", why(.end, *.turns))]
    Ended {
        /// Why the run ended.
        end: EndReason,
        /// How often the model has answered.
        turns: u32,
    },
    /// The user did not want to wait for the answer.
    #[error("cancelled")]
    Cancelled(Signal),
    /// The answer cannot be written to standard output.
    #[error("cannot write the answer")]
    Output(#[from] io::Error),
    /// No signals, or no threads, are to be had.
    #[error("cannot listen to the terminal: {0}")]
    Terminal(io::Error),
}

impl Error {
    /// The exit status: 64, as `sysexits.h` has it, where the command line or the environment must
    /// be mended; 128 and its number after a signal.
    pub fn exit_code(&self) -> u8 {
        use client::Error::{Address, Tls, Token};
        match self {
            Self::NoPrompt | Self::Client(Address(_) | Tls(_) | Token) => 64,
            Self::Cancelled(signal) => signal.exit_code(),
            _ => 1,
        }
    }
}

// Not by `#[from]`, or its words would be said again as the cause.
impl From<client::Error> for Error {
    fn from(error: client::Error) -> Self {
        Self::Client(error)
    }
}

/// Why a run gave no answer.
fn why(end: &EndReason, turns: u32) -> String {
    match end {
        EndReason::ModelError(error) => error.to_string(),
        EndReason::Answered | EndReason::Cancelled => end.as_str().to_owned(),
        EndReason::MaxTurns => {
            format!("no answer: the model called tools in turn {turns}, its last (--max-turns)")
        }
        EndReason::Stalled => "no answer: the model made the same calls again and again".to_owned(),
        EndReason::Budget => "no answer: there were too many calls".to_owned(),
    }
}

/// Where the user says it.
fn hint(error: &client::Error) -> &'static str {
    use client::Error::{Address, NobodyListens, SeveralComponents, Tls, Token};
    match error {
        Address(_) | Tls(_) => " (--address, DAPR_GRPC_ENDPOINT or DAPR_GRPC_PORT)",
        Token => " (DAPR_API_TOKEN)",
        NobodyListens(_) => ", or name another address with --address",
        SeveralComponents { .. } => " (--component)",
        _ => "",
    }
}
