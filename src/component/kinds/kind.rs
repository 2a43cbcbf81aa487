//! A component type, and the metadata keys that all types have.

use std::sync::Arc;

use crate::{
    component::{
        report::Report,
        settings::{Metadata, ResolvedValue},
        spec::ProviderSpec,
    },
    pii::Scrubber,
    provider::faults::Faults,
};

/// A component type.
pub(crate) struct Kind {
    /// The name in lower case, such as `conversation.echo`.
    pub(crate) name: &'static str,
    /// The metadata keys of this type, excluding those that all types have.
    pub(crate) keys: &'static [&'static str],
    /// Reads the values of the keys.
    pub(crate) read: fn(&Metadata<'_>, &mut Report) -> Configured,
}

/// A configured provider.
pub(crate) struct Configured {
    pub(crate) provider: Arc<dyn ProviderSpec>,
    /// The name of the component to fall back to.
    pub(crate) fallback: Option<ResolvedValue>,
}

impl Kind {
    /// Checks the keys and reads their values.
    pub(crate) fn configure(&self, metadata: &Metadata<'_>, report: &mut Report) -> Configured {
        let known = [self.keys, &KEYS].concat();
        metadata.check_keys(self.name, &known, report);
        (self.read)(metadata, report)
    }
}

const KEYS: [&str; 6] = ["piiScrubber", "tools", "maxTurns", "toolMemory", "faults", "history"];

/// Reads the setting that selects the scrubber of personal data.
pub(crate) fn scrubber(metadata: &Metadata<'_>, report: &mut Report) -> Scrubber {
    let choices = [("dapr", Scrubber::Dapr), ("strict", Scrubber::Strict)];
    metadata.parse("piiScrubber", one_of(choices), report).unwrap_or_default()
}

/// Reads the faults of the component's calls.
pub(crate) fn faults(metadata: &Metadata<'_>, report: &mut Report) -> Faults {
    metadata.parse("faults", Faults::parse, report).unwrap_or_default()
}

/// Reads whether the tool calls and results in a history must match.
pub(crate) fn has_strict_history(metadata: &Metadata<'_>, report: &mut Report) -> bool {
    let history = metadata.parse("history", one_of([("strict", true), ("lenient", false)]), report);
    history.unwrap_or(metadata.context.has_strict_history)
}

/// Returns a parser of values that have names.
pub(super) fn one_of<T: Copy, const N: usize>(
    choices: [(&str, T); N],
) -> impl FnOnce(&str) -> Result<T, String> {
    move |text| {
        let found = choices.iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names = choices.map(|(name, _)| name);
            let (last, others) = names.split_last().unwrap_or((&"", &[]));
            format!("{text:?} is invalid; use {} or {last}", others.join(", "))
        })
    }
}

/// Parses a boolean.
pub(super) fn parse_bool(text: &str) -> Result<bool, String> {
    one_of([("true", true), ("false", false)])(text)
}
