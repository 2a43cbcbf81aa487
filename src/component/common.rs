//! The settings that every conversation component has, whatever its type.

use super::{metadata::Metadata, report::Report};
use crate::pii::Scrubber;

pub(super) const KEYS: [&str; 1] = ["piiScrubber"];

/// How the component scrubs personal data where a request asks for it.
pub(super) fn scrubber(metadata: Metadata<'_>, report: &mut Report) -> Scrubber {
    metadata.parse("piiScrubber", read_scrubber, report).unwrap_or_default()
}

fn read_scrubber(text: &str) -> Result<Scrubber, String> {
    match text {
        "dapr" => Ok(Scrubber::Dapr),
        "strict" => Ok(Scrubber::Strict),
        _ => Err(format!("{text:?} is unknown; use dapr or strict")),
    }
}
