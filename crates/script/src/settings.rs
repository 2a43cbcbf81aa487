//! The settings of a scripted component.

use mynah_core::provider::stream::StreamOptions;
use schemars::JsonSchema;
use serde::Deserialize;

/// The settings of a scripted component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedSettings {
    /// Whether to search for instruction chains. Default: `true`.
    pub chains: bool,
    /// The answer after the last step of a chain. Default: a fixed sentence.
    pub on_exhausted: OnExhausted,
    /// What happens if the text between instruction tags is not a chain. Default: an error.
    pub on_malformed: OnMalformed,
    /// Whether a script may call tools that the request does not offer. Default: `false`.
    pub allow_unoffered: bool,
    /// Model name in responses. Default: `scripted`.
    pub model: String,
    /// The chunk size and the delays of streams. Steps can override them. Default: one word per
    /// chunk, without delays.
    pub stream: StreamOptions,
}

/// The answer after the last step of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnExhausted {
    /// A fixed sentence, which says that the chain is completed.
    #[default]
    Message,
    /// The answer of the fallback to the request without its chains.
    Fallback,
    /// An error.
    Error,
    /// The last step, repeated.
    RepeatLast,
    /// The chain again, starting at its first step.
    Loop,
}

/// What happens if the text between instruction tags is not a JSON object, or a tag is missing or
/// escaped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnMalformed {
    /// The call fails.
    #[default]
    Error,
    /// The text is skipped and logged.
    Fallback,
}

impl Default for ScriptedSettings {
    fn default() -> Self {
        Self {
            chains: true,
            on_exhausted: OnExhausted::default(),
            on_malformed: OnMalformed::default(),
            allow_unoffered: false,
            model: "scripted".to_owned(),
            stream: StreamOptions::default(),
        }
    }
}
