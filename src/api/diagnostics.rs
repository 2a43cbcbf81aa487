//! Diagnostics about what clients send.

use crate::base::{diagnostics::Diagnostic, text::shorten};

/// Maximum number of warnings in the log, and of errors in an answer.
const MAX_SHOWN: usize = 20;
/// Maximum length of a warning or an error in characters.
const MAX_LENGTH: usize = 1_000;

/// Logs warnings about something, such as an instance.
pub(crate) fn log_warnings(subject: &str, warnings: &[Diagnostic]) {
    for warning in warnings.iter().take(MAX_SHOWN) {
        tracing::warn!(subject, "{}", shorten(&warning.message, MAX_LENGTH));
    }
    if let Some(more) = warnings.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        tracing::warn!(subject, "{more} more warnings");
    }
}

/// Lists errors in one text.
pub(crate) fn listed(
    errors: &[Diagnostic],
    separator: &str,
    show: impl Fn(&Diagnostic) -> String,
) -> String {
    let shown = errors.iter().take(MAX_SHOWN);
    let mut shown: Vec<_> =
        shown.map(|error| shorten(&show(error), MAX_LENGTH).into_owned()).collect();
    if let Some(more) = errors.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        shown.push(format!("{more} more errors"));
    }
    shown.join(separator)
}
