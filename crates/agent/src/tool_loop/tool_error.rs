//! The error that a tool returns.

use std::{error::Error, fmt, sync::Arc};

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
        Self {
            message: error.to_string(),
            source: Some(error.into()),
            kind: ToolErrorKind::Transient,
        }
    }
}
