//! A condition that does not hold.

use std::{collections::BTreeSet, fmt};

use mynah_core::base::{
    secrets::{REDACTED, is_secret_name},
    text::shorten,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of characters of a text from the call.
const MAX_SEEN: usize = 200;
/// Maximum number of characters of a key.
const MAX_KEY: usize = 1_000;

/// What the expectations of negated conditions start with.
const NOT: &str = "anything but ";

/// A condition that does not hold for a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct Mismatch {
    /// The key of the condition, such as `user` or `metadata.tenant`.
    pub condition: String,
    /// What the condition expects, such as `a text that contains "weather"`.
    pub expected: String,
    /// What the call has instead, or `null` if it has nothing.
    pub seen: Option<String>,
}

impl Mismatch {
    pub(super) fn new(
        condition: impl AsRef<str>,
        expected: impl Into<String>,
        seen: Option<&str>,
    ) -> Self {
        let condition = shorten(condition.as_ref(), MAX_KEY).into_owned();
        let seen = if is_secret_name(&condition) { seen.and(Some(REDACTED)) } else { seen };
        let seen = seen.map(|seen| shorten(seen, MAX_SEEN).into_owned());
        Self { condition, expected: expected.into(), seen }
    }

    /// Returns the mismatch of a condition inside of the one with this key.
    #[must_use]
    pub(super) fn within(self, key: &str) -> Self {
        let condition = format!("{key}.{}", self.condition);
        Self { condition: shorten(&condition, MAX_KEY).into_owned(), ..self }
    }

    /// Returns the mismatch of a condition that must not hold.
    #[must_use]
    pub(super) fn negated(self) -> Self {
        let expected = match self.expected.strip_prefix(NOT) {
            Some(expected) => expected.to_owned(),
            None => format!("{NOT}{}", self.expected),
        };
        Self { expected, ..self }
    }

    /// Returns how many words of the texts that are expected the call has, whatever their capitals.
    pub(in super::super) fn shared_words(&self) -> usize {
        let Some(seen) = &self.seen else { return 0 };
        // Without what precedes a text or a pattern: a text that contains "weather".
        let expected = self.expected.split_once(['"', '/']).map_or("", |(_, texts)| texts);
        let words = |text: &str| -> BTreeSet<String> {
            let words = text.split(|char: char| !char.is_alphanumeric());
            words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
        };
        words(seen).intersection(&words(&shorten(expected, MAX_SEEN))).count()
    }

    /// Returns the memory that it takes, in bytes.
    pub fn size(&self) -> usize {
        let texts = self.condition.len() + self.expected.len();
        size_of::<Self>() + texts + self.seen.as_deref().map_or(0, str::len)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { condition, expected, seen } = self;
        match seen {
            Some(seen) => write!(f, "{condition}: expected {expected}; the call has {seen:?}"),
            None => write!(f, "{condition}: expected {expected}; the call has none"),
        }
    }
}
