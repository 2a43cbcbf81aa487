//! How an echo component is set up.

use crate::provider::stream::Pace;

/// How an echo component is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoSettings {
    /// Whose echo it is.
    pub mode: Mode,
    /// The model that it says it is.
    pub model: String,
    /// How fast its streams go.
    pub pace: Pace,
    /// How it makes up arguments of tool calls.
    pub arguments: ArgumentStyle,
    /// Whether it follows instruction chains, too.
    pub chains: bool,
}

/// Whose echo it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// mynah's own.
    #[default]
    Mynah,
    /// Dapr's, to the letter; of the other settings only the pace and the chains have an effect.
    Daprd,
}

/// How arguments of tool calls are made up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentStyle {
    /// Valid against the schema of the tool.
    #[default]
    Schema,
    /// The sample values as they are, such as 42 for every number, whatever bounds the schema has.
    Literal,
}

impl Default for EchoSettings {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            model: "echo".to_owned(),
            pace: Pace::default(),
            arguments: ArgumentStyle::default(),
            chains: false,
        }
    }
}
