//! Finds e-mail addresses, URLs and names of files.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};
use memchr::memchr3_iter;

use super::{
    lexicon::{FILE_EXTENSIONS, contains},
    words::is_caseless,
};

/// An e-mail address, a URL or the name of a file in a text.
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
    /// The name of a file with an extension, or its path.
    File,
}

/// What may stand behind an address.
const TRAILING: [char; 9] = ['.', ',', ';', ':', '!', '?', ')', '"', '\''];

/// Returns the e-mail addresses, URLs and names of files in a text, in order.
pub(crate) fn addresses(text: &str) -> Vec<Address> {
    let mut found = Vec::new();
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Email, LinkKind::Url]);
    let mut end = 0;
    for sign in memchr3_iter(b'.', b'@', b':', text.as_bytes()) {
        // All addresses have such a sign before another character, so most words are never looked at.
        let is_inside = text[sign + 1..].starts_with(is_address_char);
        if sign < end || !is_inside {
            continue;
        }
        let start = end + text[end..sign].trim_end_matches(is_address_char).len();
        // A CJK character ends an address even without white space.
        end = text.len() - text[sign..].trim_start_matches(is_address_char).len();
        let address = &text[start..end];
        let leading =
            address.len() - address.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let range = start + leading..start + address.trim_end_matches(TRAILING).len();
        let is_path = address[..leading].ends_with('/');
        let path = range.start - usize::from(is_path)..range.end;
        if address[leading..].starts_with("www.") {
            found.push(Address { range, kind: AddressKind::Url });
        } else if is_file(text.get(path.clone()).unwrap_or_default()) {
            found.push(Address { range: path, kind: AddressKind::File });
        } else {
            found.extend(finder.links(address).map(|link| Address {
                range: start + link.start()..start + link.end(),
                kind: match link.kind() {
                    LinkKind::Email => AddressKind::Email,
                    _ => AddressKind::Url,
                },
            }));
        }
    }
    found
}

/// Returns `true` for "report.pdf" and "/tmp/report.pdf", but not for "https://example.com/report.pdf".
fn is_file(word: &str) -> bool {
    let Some((path, extension)) = word.rsplit_once('.') else { return false };
    let is_part = |c: char| c.is_alphanumeric() || "._-/~".contains(c);
    path.ends_with(char::is_alphanumeric)
        && path.chars().all(is_part)
        && contains(FILE_EXTENSIONS, &extension.to_ascii_lowercase())
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
        let cases: [(&str, &[&str]); 12] = [
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
            ("Print handout.pdf, then (notes-2.txt).", &["handout.pdf", "notes-2.txt"]),
            ("open /tmp/a.csv and .env", &["/tmp/a.csv"]),
            ("e.g. 3.5 and etc.pp", &[]),
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
