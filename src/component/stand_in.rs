//! Stand-ins for unsupported component types.

use std::fmt;

use clap::ValueEnum;

/// A provider that answers for conversation components of unsupported types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StandIn {
    /// The provider of `conversation.echo`.
    Echo,
    /// The provider of `conversation.scripted`.
    Scripted,
}

impl fmt::Display for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Echo => "echo",
            Self::Scripted => "scripted",
        })
    }
}
