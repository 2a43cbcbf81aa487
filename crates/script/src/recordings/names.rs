//! The names of files and rules.

use std::collections::BTreeSet;

use mynah_core::{base::text::shorten, provider::call::DEFAULT_SESSION};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::rules::matching::request::RequestForm;

/// What the names of files do not contain.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'-');
/// Maximum number of characters of a message in the name of a rule.
const MAX_WORDS: usize = 48;

/// Returns the name of a component's file.
///
/// ```
/// use mynah_script::recordings::file_name;
/// assert_eq!(file_name("gpt-5"), "gpt-5.yaml");
/// assert_eq!(file_name("my model"), "my%20model.yaml");
/// ```
pub fn file_name(component: &str) -> String {
    format!("{}.yaml", utf8_percent_encode(component, ENCODED))
}

/// Returns a name that no other rule has: the session, and the words of the last message of the user.
pub(super) fn rule_name(form: &RequestForm, session: &str, taken: &BTreeSet<String>) -> String {
    let words = form.last_user().unwrap_or_default();
    let words = words.split_whitespace().take(MAX_WORDS).collect::<Vec<_>>().join(" ");
    let words = shorten(&words, MAX_WORDS);
    let name = match (session, &*words) {
        (DEFAULT_SESSION, "") => "request".to_owned(),
        (DEFAULT_SESSION, words) => words.to_owned(),
        (session, "") => session.to_owned(),
        (session, words) => format!("{session}: {words}"),
    };
    if !taken.contains(&name) {
        return name;
    }
    let numbered = (2..).map(|number: u64| format!("{name} ({number})"));
    numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or(name)
}
