use std::{fmt, sync::Arc};

use serde_json::Value;

/// A tool that the model may call.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Name, by which it is called.
    pub name: String,
    /// What it does, in words.
    pub description: Option<String>,
    /// JSON Schema of its arguments; `None` means that it takes none.
    pub parameters: Option<LazyJson>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Id that the result will refer to.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// The arguments, a JSON object in text. A client may send anything here.
    pub arguments: String,
}

/// JSON that is converted only when somebody reads it.
///
/// A request carries the schema of every tool on offer, and most are never looked at.
///
/// ```
/// use mynah::chat::LazyJson;
/// let schema = LazyJson::new(serde_json::json!({"type": "object"}));
/// assert_eq!(schema.read()["type"], "object");
/// ```
#[derive(Clone)]
pub struct LazyJson(Arc<dyn ReadJson>);

/// A form of JSON that a transport delivers.
pub trait ReadJson: Send + Sync {
    /// Converts the whole value.
    fn read_json(&self) -> Value;

    /// About how many bytes it has, found without converting.
    fn size(&self) -> usize;
}

impl LazyJson {
    /// Keeps `source` until it is read.
    pub fn new(source: impl ReadJson + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// Converts the whole value, anew at each call.
    pub fn read(&self) -> Value {
        self.0.read_json()
    }

    /// About how many bytes it has, found without converting.
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
