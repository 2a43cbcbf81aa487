//! The settings of a scripted component.

use crate::provider::stream::StreamOptions;

/// The settings of a scripted component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedSettings {
    /// Whether to search for instruction chains. Default: `true`.
    pub chains: bool,
    /// The answer after the last step of a chain. Default: a fixed sentence.
    pub on_exhausted: OnExhausted,
    /// Whether a script may call tools that the request does not offer. Default: `false`.
    pub allow_unoffered: bool,
    /// Model name in responses. Default: `scripted`.
    pub model: String,
    /// The chunk size and the delays of streams. Steps can override them. Default: one word per
    /// chunk, without delays.
    pub stream: StreamOptions,
}

/// The answer after the last step of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnExhausted {
    /// The sentence [`EXHAUSTED`](super::EXHAUSTED).
    #[default]
    Fallback,
    /// An error.
    Error,
    /// The last step, repeated.
    RepeatLast,
    /// The chain again, starting at its first step.
    Loop,
}

impl Default for ScriptedSettings {
    fn default() -> Self {
        Self {
            chains: true,
            on_exhausted: OnExhausted::default(),
            allow_unoffered: false,
            model: "scripted".to_owned(),
            stream: StreamOptions::default(),
        }
    }
}
