//! What a recording says of a step in addition to its answer.

use mynah_core::provider::stream::ListedChunks;
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{GoDuration, MAX_EXACT, Whole};

/// Number of characters in a chunk, which may be a whole answer.
type RecordedLength = Whole<1, MAX_EXACT>;

/// The chunks of a recorded stream.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct StreamSource {
    /// The lengths of the chunks of the text, in characters.
    #[serde(default)]
    chunks: Vec<RecordedLength>,
    /// The lengths of the chunks of the reasoning, in characters.
    #[serde(default)]
    reasoning_chunks: Vec<RecordedLength>,
}

/// Where a recorded answer comes from. Nothing depends on it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct RecordedSource {
    /// The day, such as 2026-11-27.
    #[serde(rename = "date")]
    _date: Option<String>,
    /// How long the model took.
    #[serde(rename = "duration")]
    _duration: Option<GoDuration>,
    /// Name of the model that answered, as it calls itself.
    #[serde(rename = "model")]
    _model: Option<String>,
}

impl StreamSource {
    pub(super) fn chunks(self) -> ListedChunks {
        let lengths =
            |chunks: Vec<RecordedLength>| chunks.into_iter().map(Whole::to_usize).collect();
        ListedChunks { reasoning: lengths(self.reasoning_chunks), text: lengths(self.chunks) }
    }
}
