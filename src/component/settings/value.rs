//! Metadata values, which diagnostics must not show if they may be secret.

use crate::{base::diagnostics::Place, component::manifest::Located};

/// The value of an item after its reference has been resolved.
pub(crate) struct ResolvedValue {
    pub(crate) place: Place,
    pub(crate) text: String,
    /// The text that diagnostics show instead of the value. `None` if the value may be shown.
    redacted_as: Option<String>,
}

impl ResolvedValue {
    /// Creates a value that is written in the metadata itself.
    pub(super) fn literal(value: &Located) -> Self {
        let Located { place, text } = value.clone();
        Self { place, text, redacted_as: None }
    }

    /// Creates a value that may be secret.
    pub(super) fn hidden(
        place: Place,
        text: impl Into<String>,
        redacted_as: impl Into<String>,
    ) -> Self {
        Self { place, text: text.into(), redacted_as: Some(redacted_as.into()) }
    }

    /// Returns the value in quotes, or what diagnostics show instead.
    pub(crate) fn shown(&self) -> String {
        self.redacted_as.clone().unwrap_or_else(|| format!("{:?}", self.text))
    }

    /// Removes a secret value from an error that begins with the quoted value.
    pub(super) fn redact(&self, error: String) -> String {
        let Some(redacted_as) = &self.redacted_as else { return error };
        let rest = error.strip_prefix(&format!("{:?} ", self.text));
        format!("{redacted_as} {}", rest.unwrap_or("cannot be used"))
    }
}
