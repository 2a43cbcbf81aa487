//! Stand-ins for types that mynah does not have.

use std::fmt;

use clap::ValueEnum;

/// A provider that answers for components of other types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StandIn {
    /// The provider of `conversation.echo`.
    Echo,
}

impl fmt::Display for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Echo => "echo",
        })
    }
}
