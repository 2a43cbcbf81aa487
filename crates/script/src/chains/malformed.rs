//! Texts that look like chains, but are not.

use std::fmt;

use super::tags::{END, START, TagDefect};
use crate::StepError;

/// The reason why a text that looks like a chain is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed(String);

impl Malformed {
    pub(super) fn not_an_object() -> Self {
        Self(format!("the text between {START} and {END} is not a JSON object"))
    }

    pub(super) fn not_json(block: &str, error: &serde_json::Error) -> Self {
        let hint = match escaped_quote(block) {
            Some(quote) => format!("its quotes are escaped as {quote}; {INSERT_LATER}"),
            None => error.to_string(),
        };
        Self(format!("the text between {START} and {END} is not JSON: {hint}"))
    }

    pub(super) fn tag(text: &str, defect: TagDefect) -> Self {
        Self(match defect {
            TagDefect::Unclosed(at) => {
                let character = text[..at].chars().count() + 1;
                format!("the tag {START} at character {character} has no matching {END}")
            }
            TagDefect::Escaped(start) => {
                format!("the first character of {START} is escaped as {start}; {INSERT_LATER}")
            }
        })
    }
}

const INSERT_LATER: &str = "insert the chain after the prompt has been escaped";

/// Returns how JSON or HTML have escaped the quotes of an object.
fn escaped_quote(block: &str) -> Option<&'static str> {
    // Line breaks are escaped together with quotes.
    let after_brace = block.trim().strip_prefix('{')?;
    let member = after_brace.trim_start_matches(['\\', 'n', 'r', 't', ' ', '\n', '\r', '\t']);
    let escape = &after_brace[..after_brace.len() - member.len()];
    if member.starts_with('"') && escape.ends_with('\\') {
        return Some("\\\"");
    }
    member.starts_with("&quot;").then_some("&quot;")
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Malformed> for StepError {
    fn from(malformed: Malformed) -> Self {
        Self::new(malformed.0)
    }
}
