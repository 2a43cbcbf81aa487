//! Scrubs the results of tools, if the caller of a component asks for it.

use super::ToolOutput;
use crate::{
    base::blocking::{LARGE, run_blocking},
    pii::{self, Scrubber},
};

/// Scrubs a result, on a blocking thread if it is large.
pub(super) async fn scrub(result: ToolOutput, scrubber: Scrubber) -> ToolOutput {
    let is_large = pii::COST * result.text().len() > LARGE;
    let scrub = move || result.map_text(|text| scrubber.scrub(text).into_owned());
    if !is_large {
        return scrub();
    }
    let panicked = |_| ToolOutput::from("the result cannot be scrubbed of personal data");
    run_blocking(scrub).await.unwrap_or_else(panicked)
}
