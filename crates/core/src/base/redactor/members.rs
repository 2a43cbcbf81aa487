//! Finds the members of JSON objects that have the names of secrets, in any text.

use std::ops::Range;

use super::unescaped::Unescaped;
use crate::base::secrets::is_secret_name;

/// The value of a secret member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretValue {
    /// Where the value is in the original, a string without its quotes.
    pub(super) place: Range<usize>,
    /// Where there is a quote of the same depth, if the value has none.
    pub(super) quote: Option<Range<usize>>,
}

/// Searches a text for JSON, in prose, incomplete, or in Python's notation. Takes time that is linear in the
/// length of the text.
pub(super) struct Members<'t> {
    text: &'t Unescaped<'t>,
    bytes: &'t [u8],
    position: usize,
}

impl<'t> Members<'t> {
    pub(super) fn of(text: &'t Unescaped<'t>) -> Self {
        Self { text, bytes: text.text().as_bytes(), position: 0 }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the position of the next quote at or after `start`.
    fn quote(&self, start: usize) -> Option<usize> {
        let rest = self.bytes.get(start..)?;
        memchr::memchr2(b'"', b'\'', rest).map(|at| start + at)
    }

    fn after_whitespace(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        start + rest.len() - rest.trim_ascii_start().len()
    }

    /// Returns where the value of a member starts whose name ends with the quote at `quote`.
    fn value_of(&self, quote: usize) -> Option<usize> {
        let colon = self.after_whitespace(quote + 1);
        let is_secret = || self.text.text().get(..quote).is_some_and(is_secret_name);
        (self.byte(colon) == Some(b':') && is_secret()).then(|| self.after_whitespace(colon + 1))
    }

    /// Returns the end of a string that starts after the quote at `open`.
    fn string_end(&self, open: usize) -> usize {
        let depth = self.text.depth(open);
        let mut next = open;
        loop {
            let Some(quote) = self.quote(next + 1) else { return self.bytes.len() };
            if self.byte(quote) == self.byte(open) && self.text.depth(quote) <= depth {
                return quote;
            }
            next = quote;
        }
    }

    /// Returns where the content of a string is in the original. Its last character can be a backslash, which looks
    /// like a part of the escape of the quote at `end`.
    fn content(&self, open: usize, end: usize) -> Range<usize> {
        let (start, mut last) = (self.text.origin(open + 1), self.text.origin(end));
        if end < self.bytes.len() {
            let unquoted = self.text.encoding(end).end.checked_sub(self.text.encoding(open).len());
            last = last.max(unquoted.unwrap_or_default());
        }
        start..last.max(start)
    }

    /// Returns the end of an object or a list that starts at `start`. An incomplete one ends with the text that
    /// it is in, whose quotes have a lower depth.
    fn container_end(&self, start: usize, depth: u32) -> usize {
        let (mut at, mut open) = (start, 0_usize);
        while let Some(byte) = self.byte(at) {
            match byte {
                b'{' | b'[' => open += 1,
                b'}' | b']' => open = open.saturating_sub(1),
                b'"' if self.text.depth(at) < depth => return at,
                b'"' => at = self.string_end(at),
                _ => {}
            }
            at += 1;
            if open == 0 {
                break;
            }
        }
        at.min(self.bytes.len())
    }

    fn number_end(&self, start: usize) -> usize {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        start + self.bytes.get(start..).unwrap_or_default().iter().take_while(is_part).count()
    }

    /// Returns the value at `start` of the member whose name ends with `quote`, and where it ends.
    fn secret(&self, quote: usize, start: usize) -> Option<(SecretValue, usize)> {
        let end = match self.byte(start)? {
            b'"' | b'\'' => {
                let end = self.string_end(start);
                let place = self.content(start, end);
                return Some((SecretValue { place, quote: None }, end + 1));
            }
            b'{' | b'[' => self.container_end(start, self.text.depth(quote)),
            b'-' | b'0'..=b'9' => self.number_end(start),
            _ => return None,
        };
        let place = self.text.origin(start)..self.text.origin(end);
        Some((SecretValue { place, quote: Some(self.text.encoding(quote)) }, end))
    }
}

impl Iterator for Members<'_> {
    type Item = SecretValue;

    fn next(&mut self) -> Option<SecretValue> {
        loop {
            let quote = self.quote(self.position)?;
            self.position = quote + 1;
            let Some(start) = self.value_of(quote) else { continue };
            if let Some((secret, end)) = self.secret(quote, start) {
                self.position = end;
                return Some(secret);
            }
        }
    }
}
