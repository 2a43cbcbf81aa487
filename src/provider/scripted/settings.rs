//! How a scripted component is set up.

use crate::provider::stream::Pace;

/// How a scripted component is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedSettings {
    /// Whether it looks for instruction chains.
    pub chains: bool,
    /// What comes after the last step of a chain.
    pub on_exhausted: OnExhausted,
    /// Whether a script may call tools that the request does not offer.
    pub allow_unoffered: bool,
    /// The model that it says it is.
    pub model: String,
    /// How fast its streams go, where a step does not say so.
    pub pace: Pace,
}

/// What comes after the last step of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnExhausted {
    /// A fixed sentence, [`EXHAUSTED`](super::EXHAUSTED).
    #[default]
    Fallback,
    /// An error.
    Error,
    /// The last step, again and again.
    RepeatLast,
    /// The chain from its first step.
    Loop,
}

impl Default for ScriptedSettings {
    fn default() -> Self {
        Self {
            chains: true,
            on_exhausted: OnExhausted::default(),
            allow_unoffered: false,
            model: "scripted".to_owned(),
            pace: Pace::default(),
        }
    }
}
