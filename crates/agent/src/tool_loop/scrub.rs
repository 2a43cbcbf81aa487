//! Scrubs the results of tools, if the caller of a component asks for it.

use mynah_core::{
    base::blocking::run_blocking,
    chat::{Message, Role},
    provider::ResultScrubber,
};

use super::ToolOutput;

/// Maximum length in bytes of results that are scrubbed within a millisecond.
pub(super) const MAX_BRIEF: usize = 2 * 1024;

/// Scrubs a result, on a blocking thread if it is long.
pub(super) async fn scrub(result: ToolOutput, scrubber: ResultScrubber) -> ToolOutput {
    if result.text().len() <= MAX_BRIEF {
        return result.map_text(scrubber);
    }
    let panicked = |_| ToolOutput::from("the result cannot be scrubbed of personal data");
    run_blocking(move || result.map_text(scrubber)).await.unwrap_or_else(panicked)
}

/// Scrubs a message if it has the result of a tool.
pub(super) fn scrub_message(mut message: Message, scrubber: Option<ResultScrubber>) -> Message {
    if let (Role::Tool { .. }, Some(scrub)) = (&message.role, scrubber) {
        message.parts.iter_mut().for_each(|part| *part = scrub(part));
    }
    message
}
