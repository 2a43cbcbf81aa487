//! Scrubs personal data: replaces it with placeholders such as `<EMAIL_ADDRESS>`.
//!
//! [`Scrubber::Dapr`] reproduces daprd's scrubber. It finds the matches of thirteen patterns, sorts
//! them, removes overlaps, drops matches at links, and replaces the remaining matches. This
//! algorithm leaks personal data in four ways:
//!
//! - If two matches overlap or touch, the rest of the later match loses its first byte, which stays
//!   in the text: `5551234567 5551234568` becomes `<ISBN> <CREDIT_CARD>6<ISBN>`. If the rest
//!   consists of that byte only, the placeholder follows the byte, unless the text ends there.
//! - A match shortened in this way may start before the end of its predecessor. In that case,
//!   neither this match nor any later one is replaced.
//! - Matches that overlap or touch a link or the address of a git repository are not replaced.
//! - If the byte that stays is part of a multi-byte character, daprd's output is not valid UTF-8,
//!   and the call fails over gRPC. Here, the byte becomes U+FFFD.
//!
//! If several patterns match the same range, the last pattern wins. daprd agrees for up to twelve
//! matches. For more matches, the result depends on daprd's unstable sort, which this module does
//! not reproduce.
//!
//! [`Scrubber::Strict`] replaces every byte of every match. If several patterns match the same
//! range, the last pattern wins. A match inside another match gets no placeholder. Other matches
//! that overlap or touch get one placeholder each, with nothing in between:
//! `<ISBN><CREDIT_CARD><ISBN>`. Links are scrubbed like any other text. The result contains no
//! match of any pattern.
//!
//! Both scrubbers find only what these patterns match. Full-width digits, names and birthdays
//! remain in the text.
//!
//! ```
//! use mynah::internals::pii::Scrubber;
//! let text = "see https://example.org/488-23-3729, or mail ann@example.org";
//! let dapr = Scrubber::Dapr.scrub(text);
//! assert_eq!(dapr, "see https://example.org/488-23-3729, or mail <EMAIL_ADDRESS>");
//! let strict = Scrubber::Strict.scrub(text);
//! assert_eq!(strict, "see https://example.org/<US_SSN>, or mail <EMAIL_ADDRESS>");
//! ```

mod patterns;
mod go_regex;
mod dapr;
mod strict;
mod conversation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// How many times longer scrubbing a text takes than reading it.
pub(crate) const COST: usize = 40;

/// A scrubber of personal data.
///
/// Scrubbing takes O(n log n) time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scrubber {
    /// daprd's algorithm, including its leaks.
    #[default]
    Dapr,
    /// An algorithm that replaces every match completely.
    Strict,
}

impl Scrubber {
    /// Returns a function that scrubs texts.
    pub(crate) fn for_texts(self) -> fn(&str) -> String {
        match self {
            Self::Dapr => |text| Self::Dapr.scrub(text).into_owned(),
            Self::Strict => |text| Self::Strict.scrub(text).into_owned(),
        }
    }

    /// Returns the text with placeholders instead of personal data.
    pub fn scrub(self, text: &str) -> Cow<'_, str> {
        let scrubbed = match self {
            Self::Dapr => dapr::scrub(text),
            Self::Strict => strict::scrub(text),
        };
        scrubbed.map_or(Cow::Borrowed(text), Cow::Owned)
    }
}
