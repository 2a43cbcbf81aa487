//! Tools and tool calls.

use std::{
    fmt,
    hash::{Hash, Hasher},
    ptr::fn_addr_eq,
};

use bytes::Bytes;
use serde_json::Value;

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tool {
    /// Name by which calls refer to the tool.
    pub name: String,
    /// Description for the model.
    pub description: Option<String>,
    /// JSON Schema of the arguments, if there is one.
    pub parameters: Option<LazyJson>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolCall {
    /// Id by which the result refers to the call.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// The arguments, normally the text of a JSON object. In a history, clients may send any text.
    pub arguments: String,
}

impl ToolCall {
    /// Returns roughly the size of the call in bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.name.len() + self.arguments.len()
    }
}

/// JSON that is decoded only when it is read.
///
/// A request contains a schema for every offered tool, and most of these schemas are never read.
/// Two values are equal if they have the same encoding.
///
/// ```
/// use mynah_core::chat::LazyJson;
/// let schema = LazyJson::new(serde_json::json!({"type": "object"}));
/// assert_eq!(schema.read()["type"], "object");
/// ```
#[derive(Clone)]
pub struct LazyJson {
    /// May be a part of the request, which is then kept in memory as a whole.
    encoding: Bytes,
    decode: fn(&[u8]) -> Value,
}

impl LazyJson {
    /// Encodes a value.
    pub fn new(value: impl Into<Value>) -> Self {
        let decode = |text: &[u8]| serde_json::from_slice(text).unwrap_or_default();
        Self::encoded(value.into().to_string().into(), decode)
    }

    /// Wraps encoded JSON. Equal encodings must be decoded to equal values.
    pub fn encoded(encoding: Bytes, decode: fn(&[u8]) -> Value) -> Self {
        Self { encoding, decode }
    }

    /// Returns a copy that does not keep a request in memory.
    pub fn detached(&self) -> Self {
        Self::encoded(Bytes::copy_from_slice(&self.encoding), self.decode)
    }

    /// Decodes the JSON. The result is not cached.
    pub fn read(&self) -> Value {
        (self.decode)(&self.encoding)
    }

    /// Returns the encoding, which is cheap to hash and to compare.
    pub fn encoding(&self) -> &[u8] {
        &self.encoding
    }

    /// Returns the size of the encoding in bytes.
    pub fn size(&self) -> usize {
        self.encoding.len()
    }
}

impl PartialEq for LazyJson {
    fn eq(&self, other: &Self) -> bool {
        fn_addr_eq(self.decode, other.decode) && self.encoding == other.encoding
    }
}

impl Eq for LazyJson {}

impl Hash for LazyJson {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.encoding.hash(state);
        (self.decode as usize).hash(state);
    }
}

impl fmt::Debug for LazyJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.read())
    }
}
