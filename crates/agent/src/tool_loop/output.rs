//! What a tool returns: its output, or an error.

use std::{borrow::Cow, collections::BTreeMap, error::Error, fmt, sync::Arc};

use serde::Serialize;
use serde_json::Value;

/// The output of a tool, as sent to the model: a string unchanged, or another value as compact JSON.
///
/// ```
/// use mynah_agent::tool_loop::ToolOutput;
/// #[derive(serde::Serialize)]
/// struct Tip { tip: f64, total: f64 }
/// // Fields keep their order.
/// let output = ToolOutput::new(&Tip { tip: 9.12, total: 54.72 })?;
/// assert_eq!(output.text(), r#"{"tip":9.12,"total":54.72}"#);
/// assert_eq!(ToolOutput::new(&"sunny")?.text(), "sunny");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    pub(super) text: String,
    /// Whether `text` is JSON. A string is sent without quotes and is not JSON.
    is_json: bool,
}

impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => text.into(),
            value => Self { text: value.to_string(), is_json: true },
        }
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self { text, is_json: false }
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for ToolOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<str> for ToolOutput {
    fn eq(&self, text: &str) -> bool {
        self.text == text
    }
}

impl PartialEq<&str> for ToolOutput {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}

impl ToolOutput {
    /// Serializes a value.
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be represented as JSON.
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        let json = serde_json::to_string(value)?;
        if json.starts_with('"') {
            return Ok(serde_json::from_str::<String>(&json)?.into());
        }
        Ok(Self { text: json, is_json: true })
    }

    /// Returns the text that the model receives.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value that the tool returned.
    pub fn value(&self) -> Value {
        let value = if self.is_json { serde_json::from_str(&self.text).ok() } else { None };
        value.unwrap_or_else(|| self.text.as_str().into())
    }

    /// Returns the value as compact JSON, with fields in their order. Returns `None` if the value is
    /// null or empty. Zero and `false` are not empty.
    pub(super) fn data(&self) -> Option<Cow<'_, str>> {
        match (self.is_json, self.text.as_str()) {
            (true, "null" | "[]" | "{}") | (false, "") => None,
            (true, json) => Some(json.into()),
            (false, text) => Some(Value::from(text).to_string().into()),
        }
    }

    /// Changes the text, but not whether it is JSON.
    pub(super) fn map_text(self, map: impl FnOnce(&str) -> String) -> Self {
        Self { text: map(&self.text), ..self }
    }

    /// Truncates the output to `max` bytes and appends a note. Truncated output is no longer JSON.
    pub(super) fn truncate(self, max: usize) -> Self {
        let is_json = self.is_json && self.text.len() <= max;
        Self { text: truncate(self.text, max), is_json }
    }
}

/// Truncates a text to `max` bytes, at a character boundary, and appends a note.
pub(super) fn truncate(mut text: String, max: usize) -> String {
    let bytes = text.len();
    if bytes > max {
        text.truncate(text.floor_char_boundary(max));
        text.shrink_to_fit();
        text += &format!("\n[truncated: {} of {bytes} bytes]", text.len());
    }
    text
}

/// The error that a tool returns. The model receives its message.
///
/// The `?` operator converts any [`Error`] to this type. A text can also be converted.
///
/// ```
/// use mynah_agent::tool_loop::{ToolError, ToolErrorKind};
/// fn degrees(text: &str) -> Result<f64, ToolError> {
///     Ok(text.parse()?)
/// }
/// let error = degrees("warm").unwrap_err();
/// assert_eq!(error.message(), "invalid float literal");
/// assert!(error.source().unwrap().is::<std::num::ParseFloatError>());
/// assert_eq!(error.kind(), ToolErrorKind::Transient);
/// assert_eq!(ToolError::from("no forecast").message(), "no forecast");
/// assert_eq!(ToolError::refused("no such city").kind(), ToolErrorKind::Refused);
/// ```
#[derive(Debug, Clone)]
pub struct ToolError {
    pub(super) message: String,
    kind: ToolErrorKind,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// The kind of a [`ToolError`], which decides whether the call is retried.
///
/// | kind | retried | counts for the circuit breaker |
/// |---|---|---|
/// | `Transient`, and timeouts | if the settings allow it | yes |
/// | `Failed`, and panics | no | yes |
/// | `Refused` | no | no |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolErrorKind {
    /// The tool works, but refuses the call, for example because something does not exist.
    Refused,
    /// The tool failed, and would fail again.
    Failed,
    /// The tool failed, and may succeed at the next attempt. Errors of unknown kind are transient,
    /// because a tool has no retries unless its settings ask for them.
    Transient,
}

impl ToolError {
    /// Creates a [transient](ToolErrorKind::Transient) error.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), kind: ToolErrorKind::Transient, source: None }
    }

    /// Creates an error of a tool that would [fail](ToolErrorKind::Failed) again.
    pub fn failed(message: impl fmt::Display) -> Self {
        Self { kind: ToolErrorKind::Failed, ..Self::new(message) }
    }

    /// Creates an error of a tool that [refuses](ToolErrorKind::Refused) the call.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self { kind: ToolErrorKind::Refused, ..Self::new(message) }
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the kind.
    pub fn kind(&self) -> ToolErrorKind {
        self.kind
    }

    /// Returns the error from which this error was converted.
    pub fn source(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.source.as_deref()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Errors are equal if their kinds and messages are equal.
impl PartialEq for ToolError {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.message) == (other.kind, &other.message)
    }
}

impl Eq for ToolError {}

// `ToolError` cannot implement `Error`, which would conflict with this conversion.
impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for ToolError {
    fn from(error: E) -> Self {
        let error: Box<dyn Error + Send + Sync> = error.into();
        let transient = Self::new(&error);
        Self { source: Some(error.into()), ..transient }
    }
}

/// What a [function](super::ToolFunction) that is a tool returns: a value, or a `Result` with a
/// [`ToolError`].
///
/// Any value that can be serialized can be returned as `Ok(value)`. Texts, numbers, booleans, JSON,
/// lists, maps and options can also be returned without a `Result`. Implement this trait for types
/// of your own that should also be:
///
/// ```
/// use mynah_agent::tool_loop::{ToolError, ToolOutput, ToolRegistry, ToolReturn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Bill { amount: f64 }
///
/// #[derive(serde::Serialize)]
/// struct Tip { tip: f64 }
///
/// impl ToolReturn for Tip {
///     fn into_output(self) -> Result<ToolOutput, ToolError> {
///         Ok(ToolOutput::new(&self)?)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = ToolRegistry::new();
/// registry.register("calculate_tip", "A tip of 20%", |bill: Bill| Tip { tip: bill.amount / 5.0 })?;
/// assert_eq!(registry.run("calculate_tip", r#"{"amount": 60}"#).await?, r#"{"tip":12.0}"#);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a text, a number, JSON or a `Result` with a `ToolError`",
    note = "return `Ok(value)` if the value implements `serde::Serialize`"
)]
pub trait ToolReturn {
    /// Returns the output for the model.
    ///
    /// # Errors
    ///
    /// Fails if the tool failed, or if the value cannot be represented as JSON.
    fn into_output(self) -> Result<ToolOutput, ToolError>;
}

impl<T: Serialize> ToolReturn for Result<T, ToolError> {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::new(&self?)?)
    }
}

/// Implements the trait for types that can be serialized. It cannot be implemented for all of them:
/// `Ok(value)` alone would no longer say which type of error it has.
macro_rules! serialized {
    ($([$($generic:tt)*] $type:ty,)*) => {$(
        impl<$($generic)*> ToolReturn for $type {
            fn into_output(self) -> Result<ToolOutput, ToolError> {
                Ok(ToolOutput::new(&self)?)
            }
        }
    )*};
}

serialized! {
    [] (), [] bool, [] char,
    [] u8, [] u16, [] u32, [] u64, [] usize, [] i8, [] i16, [] i32, [] i64, [] isize, [] f32, [] f64,
    [T: Serialize] Vec<T>, [T: Serialize] Option<T>, [K: Serialize, V: Serialize] BTreeMap<K, V>,
}

/// Implements the trait for types that are converted without being serialized.
macro_rules! converted {
    ($($type:ty),*) => {$(
        impl ToolReturn for $type {
            fn into_output(self) -> Result<ToolOutput, ToolError> {
                Ok(self.into())
            }
        }
    )*};
}

converted! { ToolOutput, Value, String, &str }

impl ToolReturn for Cow<'_, str> {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self.into_owned().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_at_a_character_boundary_with_a_note() {
        assert_eq!(truncate("äö".to_owned(), 4), "äö");
        assert_eq!(truncate("äö".to_owned(), 3), "ä\n[truncated: 2 of 4 bytes]");
        assert_eq!(truncate("ä".to_owned(), 1), "\n[truncated: 0 of 2 bytes]");
    }

    #[test]
    fn truncated_output_is_not_json() {
        let output = ToolOutput::from(serde_json::json!(["ä"]));
        assert_eq!((output.text.as_str(), output.is_json), ("[\"ä\"]", true));
        assert!(output.clone().truncate(6).is_json);
        assert!(!output.truncate(5).is_json);
    }
}
