//! Tools and tool calls.

use std::{fmt, sync::Arc};

use serde_json::Value;

/// A tool that the model may call.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Name by which calls refer to the tool.
    pub name: String,
    /// Description for the model.
    pub description: Option<String>,
    /// JSON Schema of the arguments, if there is one.
    pub parameters: Option<LazyJson>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Id by which the result refers to the call.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// The arguments, normally the text of a JSON object. In a history, clients may send any text.
    pub arguments: String,
}

/// JSON that is converted only when it is read.
///
/// A request contains a schema for every offered tool, and most of these schemas are never read.
///
/// ```
/// use mynah::chat::LazyJson;
/// let schema = LazyJson::new(serde_json::json!({"type": "object"}));
/// assert_eq!(schema.read()["type"], "object");
/// ```
#[derive(Clone)]
pub struct LazyJson(Arc<dyn ReadJson>);

/// JSON in the representation of a transport.
pub trait ReadJson: Send + Sync {
    /// Converts the JSON to a [`Value`].
    fn read_json(&self) -> Value;

    /// Estimates the size in bytes, without converting the JSON.
    fn size(&self) -> usize;
}

impl LazyJson {
    /// Wraps JSON that has not been converted yet.
    pub fn new(source: impl ReadJson + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// Converts the JSON to a [`Value`]. The result is not cached.
    pub fn read(&self) -> Value {
        self.0.read_json()
    }

    /// Estimates the size in bytes, without converting the JSON.
    pub fn size(&self) -> usize {
        self.0.size()
    }
}

impl ReadJson for Value {
    fn read_json(&self) -> Value {
        self.clone()
    }

    fn size(&self) -> usize {
        self.to_string().len()
    }
}

impl fmt::Debug for LazyJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.read())
    }
}
