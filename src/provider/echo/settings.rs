//! Settings of an echo component.

use crate::provider::stream::StreamOptions;

/// Settings of an echo component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoSettings {
    /// Which echo to reproduce.
    pub mode: Mode,
    /// Model name in responses.
    pub model: String,
    /// Chunk size and delays of streams.
    pub stream: StreamOptions,
    /// How arguments of tool calls are generated.
    pub arguments: ArgumentStyle,
    /// Whether to follow instruction chains in user messages.
    pub chains: bool,
}

/// Which echo to reproduce.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// mynah's own echo.
    #[default]
    Mynah,
    /// Dapr's echo, exactly. Of the other settings, only `stream` and `chains` have an effect.
    Daprd,
}

/// How arguments of tool calls are generated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentStyle {
    /// Values are valid against the schema of the tool.
    #[default]
    Schema,
    /// Numbers are 42, even if the schema has other bounds.
    Literal,
}

impl Default for EchoSettings {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            model: "echo".to_owned(),
            stream: StreamOptions::default(),
            arguments: ArgumentStyle::default(),
            chains: false,
        }
    }
}
