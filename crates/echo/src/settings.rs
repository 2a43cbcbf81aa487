//! The settings of an echo component.

use mynah_core::provider::stream::StreamOptions;

/// The settings of an echo component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoSettings {
    /// The echo to reproduce: mynah's or Dapr's.
    pub mode: Mode,
    /// The model name in responses.
    pub model: String,
    /// The chunk size and delays of streams.
    pub stream: StreamOptions,
    /// The style of the arguments in tool calls.
    pub arguments: ArgumentStyle,
    /// Whether tool calls have optional properties that the user did not state.
    pub optional: Optional,
    /// Whether to follow instruction chains in user messages.
    pub chains: bool,
}

/// The echo to reproduce.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// mynah's own echo.
    #[default]
    Mynah,
    /// An exact reproduction of Dapr's echo. Of the other settings, only `stream` and `chains` have
    /// an effect.
    Daprd,
}

/// The style of the arguments in tool calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentStyle {
    /// Arguments that are valid against the tool's schema.
    #[default]
    Schema,
    /// Like [`Schema`](Self::Schema), but numbers are 42 even if the schema does not allow 42.
    Literal,
}

/// Whether an object has optional properties that the user did not state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Optional {
    /// Only if its schema has no list `required`, which says what must be there.
    #[default]
    BySchema,
    /// Always.
    Fill,
    /// Never.
    Omit,
}

impl Default for EchoSettings {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            model: "echo".to_owned(),
            stream: StreamOptions::default(),
            arguments: ArgumentStyle::default(),
            optional: Optional::default(),
            chains: false,
        }
    }
}
