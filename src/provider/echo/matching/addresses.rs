//! Finds e-mail addresses and URLs. The words in them do not mention tools: alice@user.example does
//! not mention `get_user`.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};

use super::tokens::is_caseless;

/// Returns the ranges of e-mail addresses and URLs, in order.
pub(super) fn find_addresses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !["@", "://", "www."].iter().any(|sign| text.contains(sign)) {
        return found;
    }
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Email, LinkKind::Url]);
    let mut start = 0;
    // Split the text first, so that a CJK character ends an address even without whitespace.
    for piece in text.split_inclusive(|c| !is_address_char(c)) {
        let address = piece.trim_end_matches(|c| !is_address_char(c));
        if address.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with("www.") {
            found.push(start..start + address.len());
        } else {
            found.extend(finder.links(address).map(|it| start + it.start()..start + it.end()));
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
    use super::find_addresses;

    fn found(text: &str) -> Vec<&str> {
        find_addresses(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn finds_addresses() {
        let cases: [(&str, &[&str]); 9] = [
            ("no address @ all: nothing", &[]),
            ("mail bob@user.example.", &["bob@user.example"]),
            ("(https://example.com/weather?x=1).", &["https://example.com/weather?x=1"]),
            ("see www.weather.com now", &["www.weather.com"]),
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
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
