//! What answers for the types that mynah does not know.

use std::fmt;

use clap::ValueEnum;

use super::{ProviderSpec, metadata::Metadata};
use crate::provider::echo::EchoSettings;

/// A provider that answers in the place of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StandIn {
    /// The provider of `conversation.echo`.
    Echo,
}

impl StandIn {
    /// How it is set up by metadata that was written for another provider: only the model counts.
    pub(super) fn provider(self, metadata: Metadata<'_>) -> ProviderSpec {
        match self {
            Self::Echo => {
                let defaults = EchoSettings::default();
                let model = metadata.written("model").unwrap_or(defaults.model);
                ProviderSpec::Echo(EchoSettings { model, ..defaults })
            }
        }
    }
}

impl fmt::Display for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Echo => "echo",
        })
    }
}
