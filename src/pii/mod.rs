//! Scrubbing of personal data: replaces it with placeholders such as `<EMAIL_ADDRESS>`.
//!
//! [`Scrubber::Dapr`] reproduces daprd's scrubber. It finds the matches of thirteen patterns, sorts
//! them, removes overlaps, drops the matches at links, and replaces the rest. This algorithm leaks
//! personal data in four ways:
//!
//! - If two matches overlap or touch, the later one loses its first byte, which stays in the text:
//!   `5551234567 5551234568` becomes `<ISBN> <CREDIT_CARD>6<ISBN>`. If that byte is the whole rest
//!   of the match, the placeholder follows it, except at the end of the text.
//! - A match that lost its first byte may start before the end of its predecessor. Then neither it
//!   nor any later match is replaced.
//! - Matches that overlap or touch a link or the address of a git repository are not replaced.
//! - If the byte that stays is part of a longer character, daprd's text is not valid UTF-8, which
//!   fails the call over gRPC. Here the byte becomes U+FFFD.
//!
//! If several patterns match the same range, the last pattern wins. daprd agrees for up to twelve
//! matches. Beyond that, its unstable sort decides, which this module does not reproduce.
//!
//! [`Scrubber::Strict`] replaces every byte of every match. If several patterns match the same
//! range, the last pattern wins. A match inside another one is dropped with it. Matches that
//! overlap or touch keep their placeholders, with nothing in between: `<ISBN><CREDIT_CARD><ISBN>`.
//! Links are scrubbed like any other text. The result contains no match of any pattern.
//!
//! Neither scrubber knows more than these patterns: full-width digits, names and birthdays stay.
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

/// A scrubber of personal data.
///
/// It takes O(n log n) time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scrubber {
    /// daprd's algorithm, including its leaks.
    #[default]
    Dapr,
    /// An algorithm that replaces every match completely.
    Strict,
}

impl Scrubber {
    /// Returns the text with placeholders instead of personal data.
    pub fn scrub(self, text: &str) -> Cow<'_, str> {
        let scrubbed = match self {
            Self::Dapr => dapr::scrub(text),
            Self::Strict => strict::scrub(text),
        };
        scrubbed.map_or(Cow::Borrowed(text), Cow::Owned)
    }
}
