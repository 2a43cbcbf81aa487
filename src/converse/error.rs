//! Why there is no answer.

use std::io;

use thiserror::Error as ThisError;

use crate::{client, component::Problem, wire};

/// Why there was nothing to ask, or no answer.
#[derive(Debug, ThisError)]
pub enum Error {
    /// There is nothing to ask.
    #[error(
        "there is no prompt; write one, such as mynah converse 'Hello, mynah!', \
         or send it to standard input"
    )]
    NoPrompt,
    /// The prompt or the history cannot be read.
    #[error("{0}")]
    Input(Problem),
    /// The sidecar gave no answer.
    #[error("{}{}", .0, hint(.0))]
    Client(client::Error),
    /// The answer cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] wire::error::Error),
    /// The answer cannot be written to standard output.
    #[error("cannot write the answer")]
    Output(#[from] io::Error),
}

impl Error {
    /// Whether the command line or the environment must be mended.
    pub fn is_wrong_usage(&self) -> bool {
        use client::Error::{Address, Tls, Token};
        matches!(self, Self::NoPrompt | Self::Client(Address(_) | Tls(_) | Token))
    }
}

// Not by `#[from]`, or its words would be said again as the cause.
impl From<client::Error> for Error {
    fn from(error: client::Error) -> Self {
        Self::Client(error)
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
