//! Metadata keys that all component types have, and parsers that several types use.

use crate::{
    component::{report::Report, settings::Metadata},
    pii::Scrubber,
    provider::faults::Faults,
};

pub(super) const KEYS: [&str; 6] =
    ["piiScrubber", "tools", "maxTurns", "toolMemory", "faults", "history"];

/// Reads the setting that selects the scrubber of personal data.
pub(crate) fn scrubber(metadata: &Metadata<'_>, report: &mut Report) -> Scrubber {
    let parse = |text: &str| match text {
        "dapr" => Ok(Scrubber::Dapr),
        "strict" => Ok(Scrubber::Strict),
        _ => Err(format!("{text:?} is invalid; use dapr or strict")),
    };
    metadata.parse("piiScrubber", parse, report).unwrap_or_default()
}

/// Reads the faults of the component's calls.
pub(crate) fn faults(metadata: &Metadata<'_>, report: &mut Report) -> Faults {
    metadata.parse("faults", Faults::parse, report).unwrap_or_default()
}

/// Reads whether the tool calls and results in a history must match.
pub(crate) fn has_strict_history(metadata: &Metadata<'_>, report: &mut Report) -> bool {
    let parse = |text: &str| match text {
        "strict" => Ok(true),
        "lenient" => Ok(false),
        _ => Err(format!("{text:?} is invalid; use strict or lenient")),
    };
    let history = metadata.parse("history", parse, report);
    history.unwrap_or(metadata.context.has_strict_history)
}

/// Parses a boolean.
pub(super) fn parse_bool(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("{text:?} is invalid; use true or false"))
}
