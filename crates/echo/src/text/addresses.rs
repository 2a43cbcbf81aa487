//! Finds e-mail addresses and URLs.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};

use super::words::is_caseless;

/// An e-mail address or a URL in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// The bytes of the address.
    pub(crate) range: Range<usize>,
    pub(crate) kind: AddressKind,
}

/// The kind of an [`Address`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressKind {
    Email,
    /// A URL, with a scheme or starting with `www.`.
    Url,
}

/// Returns the e-mail addresses and URLs in a text, in order.
pub(crate) fn addresses(text: &str) -> Vec<Address> {
    let mut found = Vec::new();
    if !text.contains(['@', '/']) && !text.contains("www.") {
        return found;
    }
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Email, LinkKind::Url]);
    let mut start = 0;
    // Split the text first, so that a CJK character ends an address even without whitespace.
    for piece in text.split_inclusive(|c| !is_address_char(c)) {
        let address = piece.trim_end_matches(|c| !is_address_char(c));
        let leading =
            address.len() - address.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        if address[leading..].starts_with("www.") {
            let trailing = ['.', ',', ';', ':', '!', '?', ')', '"', '\''];
            let end = start + address.trim_end_matches(trailing).len();
            found.push(Address { range: start + leading..end, kind: AddressKind::Url });
        } else {
            found.extend(finder.links(address).map(|link| Address {
                range: start + link.start()..start + link.end(),
                kind: match link.kind() {
                    LinkKind::Email => AddressKind::Email,
                    _ => AddressKind::Url,
                },
            }));
        }
        start += piece.len();
    }
    found
}

/// Returns `true` if a character may be part of an address.
fn is_address_char(c: char) -> bool {
    c.is_ascii_graphic() || c.is_alphanumeric() && !is_caseless(c)
}

#[cfg(test)]
mod tests {
    use super::{AddressKind, addresses};

    #[test]
    fn finds_addresses() {
        let cases: [(&str, &[&str]); 9] = [
            ("no address @ all: nothing", &[]),
            ("mail bob@user.example.", &["bob@user.example"]),
            ("(https://example.com/weather?x=1).", &["https://example.com/weather?x=1"]),
            ("see (www.weather.com), now", &["www.weather.com"]),
            ("<mailto:a@b.com>, c@d.org", &["a@b.com", "c@d.org"]),
            ("jörg@example.com", &["jörg@example.com"]),
            ("user@example.comにsend_emailで", &["user@example.com"]),
            (
                "ftp://h/é http://localhost:8080/users",
                &["ftp://h/é", "http://localhost:8080/users"],
            ),
            ("天気https://x.org/aを", &["https://x.org/a"]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = addresses(text).into_iter().map(|it| &text[it.range]).collect();
            assert_eq!(found, expected, "{text}");
        }
        let kinds: Vec<_> = addresses("a@b.com http://c.de").iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [AddressKind::Email, AddressKind::Url]);
    }
}
