//! Scrubbing of personal data: placeholders such as `<EMAIL_ADDRESS>` in its place.
//!
//! [`Scrubber::Dapr`] answers what daprd answers, byte for byte. Its scrubber finds the matches of
//! thirteen patterns, sorts them, makes them disjoint, drops those at links, and replaces the rest.
//! It lets personal data through in these ways:
//!
//! - Of ranges that overlap or touch, the later loses its first byte, which stays in the text:
//!   `5551234567 5551234568` becomes `<ISBN> <CREDIT_CARD>6<ISBN>`. Where nothing else remains of
//!   the range, its placeholder stands beside that byte, or at the end of the text nowhere.
//! - A cut range may come to start before the range that precedes it. It is never replaced then,
//!   nor is anything after it.
//! - Nothing is replaced that overlaps or touches a link or the address of a git repository.
//! - Of equal ranges the one of the last pattern wins, but among more than twelve ranges whichever
//!   Go's sort leaves first; with the cut before it that decides what is replaced at all.
//!
//! The byte let through may be the first of a longer character. daprd then holds a text that is not
//! UTF-8, which fails the call over gRPC; here U+FFFD stands in its place.
//!
//! [`Scrubber::Strict`] lets through no byte of any match. Equal ranges get the placeholder of the
//! last pattern; a range within another is gone with it; of ranges that overlap or touch, each keeps
//! its placeholder, and nothing stands between: `<ISBN><CREDIT_CARD><ISBN>`. Links hide nothing,
//! since a number in one is as personal as outside. What comes out has no match of any pattern: each
//! is found wherever it is on its own, and none reaches over a placeholder. Both know only these
//! patterns: full-width digits, names and birthdays stay.
//!
//! ```
//! use mynah::pii::Scrubber;
//! let text = "see https://example.org/488-23-3729, or mail ann@example.org";
//! let dapr = Scrubber::Dapr.scrub(text);
//! assert_eq!(dapr, "see https://example.org/488-23-3729, or mail <EMAIL_ADDRESS>");
//! let strict = Scrubber::Strict.scrub(text);
//! assert_eq!(strict, "see https://example.org/<US_SSN>, or mail <EMAIL_ADDRESS>");
//! ```

mod patterns;
mod go_regex;
mod dapr;
mod go_sort;
mod strict;
mod conversation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// How personal data is scrubbed. Takes time in proportion to the text, but for the sorting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scrubber {
    /// As daprd does.
    #[default]
    Dapr,
    /// Without letting through what daprd does.
    Strict,
}

impl Scrubber {
    /// The text with placeholders for what is personal.
    pub fn scrub(self, text: &str) -> Cow<'_, str> {
        let scrubbed = match self {
            Self::Dapr => dapr::scrub(text),
            Self::Strict => strict::scrub(text),
        };
        scrubbed.map_or(Cow::Borrowed(text), Cow::Owned)
    }
}
