//! Metadata keys that all component types have, and parsers that several types use.

use crate::{
    component::{report::Report, settings::Metadata},
    pii::Scrubber,
    provider::faults::Faults,
};

pub(super) const KEYS: [&str; 5] = ["piiScrubber", "tools", "maxTurns", "toolMemory", "faults"];

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

/// Parses a boolean.
pub(super) fn parse_bool(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("{text:?} is invalid; use true or false"))
}
