use std::time::Duration;

/// How one echo component behaves; each field is a key of its metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoSettings {
    /// Name of the model in answers.
    pub model: String,
    /// Time between the chunks of a stream.
    pub chunk_delay: Duration,
    /// How numbers in tool arguments are made.
    pub arguments: ArgumentStyle,
}

/// How numbers in tool arguments are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentStyle {
    /// 42, moved into the bounds that the schema sets.
    #[default]
    Schema,
    /// 42, whatever the schema says.
    Literal,
}

impl Default for EchoSettings {
    fn default() -> Self {
        Self {
            model: "echo".to_owned(),
            chunk_delay: Duration::ZERO,
            arguments: ArgumentStyle::default(),
        }
    }
}
