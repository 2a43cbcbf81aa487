//! Tools and their calls.

use std::{fmt, sync::Arc};

use serde_json::Value;

/// A tool that the model may call.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Name that calls refer to.
    pub name: String,
    /// Description for the model.
    pub description: Option<String>,
    /// JSON Schema of the arguments. `None` if there are none.
    pub parameters: Option<LazyJson>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Id that the result refers to.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// The arguments as the text of a JSON object. Clients may send any text.
    pub arguments: String,
}

/// JSON that is converted only when it is read.
///
/// A request contains the schema of every offered tool, most of which are never read.
///
/// ```
/// use mynah::chat::LazyJson;
/// let schema = LazyJson::new(serde_json::json!({"type": "object"}));
/// assert_eq!(schema.read()["type"], "object");
/// ```
#[derive(Clone)]
pub struct LazyJson(Arc<dyn ReadJson>);

/// JSON in a transport's own representation.
pub trait ReadJson: Send + Sync {
    /// Converts the value.
    fn read_json(&self) -> Value;

    /// Returns an estimate of the size in bytes, without converting.
    fn size(&self) -> usize;
}

impl LazyJson {
    /// Wraps JSON that is not converted yet.
    pub fn new(source: impl ReadJson + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// Converts the value, anew on every call.
    pub fn read(&self) -> Value {
        self.0.read_json()
    }

    /// Returns an estimate of the size in bytes, without converting.
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
