//! The conversation component types. Each has its own file and an entry in [`KINDS`].

mod echo;
mod kind;
mod replay;
pub(super) mod scripted;
mod upstream;

use std::sync::Arc;

pub use self::echo::built_in;
pub(super) use self::{
    echo::built_in_with,
    kind::{Configured, Kind, faults, has_strict_history, scrubber},
};
use super::{
    context::{RealModels, StandIn},
    report::Report,
    settings::Metadata,
    spec::ProviderSpec,
};
use crate::base::text::nearest;

/// What the names of all types start with.
pub(super) const CATEGORY: &str = "conversation.";

/// The types that mynah supports.
static KINDS: [Kind; 2] = [echo::KIND, scripted::KIND];

/// Returns a type by name. As in daprd, case matters only in the category.
pub(super) fn find(written: &str) -> Option<&'static Kind> {
    let name = written.to_lowercase();
    KINDS.iter().find(|kind| is_conversation(written) && kind.name == name)
}

/// Returns `true` if a type belongs to the conversation building block.
pub(super) fn is_conversation(written: &str) -> bool {
    written.starts_with(CATEGORY)
}

/// The types that only Dapr has.
const OTHERS: [&str; 8] = [
    "anthropic",
    "aws.bedrock",
    "deepseek",
    "googleai",
    "huggingface",
    "mistral",
    "ollama",
    "openai",
];

/// Returns the known type that an unknown one is similar to.
pub(super) fn similar(written: &str) -> Option<String> {
    let provider = written.strip_prefix(CATEGORY)?.to_lowercase();
    let own = KINDS.iter().map(|kind| kind.name.trim_start_matches(CATEGORY));
    let known = nearest(&provider, own.chain(OTHERS))?;
    (known != provider).then(|| format!("{CATEGORY}{known}"))
}

/// Lists the providers of all types, for messages.
pub(super) fn providers() -> String {
    KINDS.each_ref().map(|kind| kind.name.trim_start_matches(CATEGORY)).join(", ")
}

/// Lists the names of all types, for messages.
pub(super) fn names() -> String {
    KINDS.each_ref().map(|kind| kind.name).join(", ")
}

/// What answers for a component of another provider's type.
#[derive(Debug, Clone, Copy)]
pub(super) enum Other<'c> {
    /// A provider of mynah.
    StandIn(StandIn),
    /// A real model, or what is recorded of it.
    Real(&'c RealModels),
}

/// Configures a component of another provider's type: it answers from a recording, asks a real model, or
/// has a stand-in. Returns `None` after an error.
pub(super) fn configure_other(
    other: Other<'_>,
    metadata: &Metadata<'_>,
    report: &mut Report,
) -> Option<Arc<dyn ProviderSpec>> {
    match other {
        Other::StandIn(stand_in) => Some(configure_stand_in(stand_in, metadata)),
        Other::Real(RealModels::Replay { folder, missed }) => {
            replay::replay(folder, missed, metadata, report)
        }
        Other::Real(RealModels::Upstream(upstream)) => {
            upstream::upstream(upstream, metadata, report)
        }
    }
}

/// Configures a stand-in from metadata that was written for another provider.
fn configure_stand_in(stand_in: StandIn, metadata: &Metadata<'_>) -> Arc<dyn ProviderSpec> {
    match stand_in {
        StandIn::Echo => echo::stand_in(metadata),
        StandIn::Scripted => Arc::new(scripted::stand_in(metadata)),
    }
}
