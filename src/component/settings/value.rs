//! Values that diagnostics may not show.

use crate::{base::diagnostics::Place, component::manifest::Located};

/// The value of an item, after references are resolved.
pub(super) struct ResolvedValue {
    pub(super) place: Place,
    pub(super) text: String,
    /// What diagnostics show instead of the text.
    redacted_as: Option<String>,
}

impl ResolvedValue {
    /// A value that is written in the metadata itself.
    pub(super) fn literal(value: &Located) -> Self {
        let Located { place, text } = value.clone();
        Self { place, text, redacted_as: None }
    }

    /// A value that may be secret.
    pub(super) fn hidden(
        place: Place,
        text: impl Into<String>,
        redacted_as: impl Into<String>,
    ) -> Self {
        Self { place, text: text.into(), redacted_as: Some(redacted_as.into()) }
    }

    /// Removes the value from an error that begins with it in quotes.
    pub(super) fn redact(&self, error: String) -> String {
        let Some(redacted_as) = &self.redacted_as else { return error };
        let rest = error.strip_prefix(&format!("{:?} ", self.text));
        format!("{redacted_as} {}", rest.unwrap_or("cannot be used"))
    }
}
