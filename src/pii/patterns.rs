//! The patterns of Dapr's scrubber, in order of increasing precedence.
//!
//! The patterns are identical to those in github.com/aavaz-ai/pii-scrubber, including their bugs. They
//! are compiled with the meaning that they have in Go.

use std::{cmp::Reverse, iter, ops::Range, sync::LazyLock};

use regex::Regex;

/// A range of the input that contains personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The text that replaces the range.
    pub(super) placeholder: &'static str,
}

/// All patterns except the one for street addresses, which comes first, with their placeholders.
static PERSONAL: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let patterns: [(&str, &str); 12] = [
        ("<CREDIT_CARD>", CREDIT_CARD),
        ("<PHONE_NUMBER>", PHONE_WITH_EXTENSION),
        ("<PHONE_NUMBER>", PHONE),
        ("<EMAIL_ADDRESS>", EMAIL),
        ("<IP>", &format!("{IPV4}|{}", ipv6())),
        ("<ZIP_CODE>", ZIP_CODE),
        ("<PO_BOX>", PO_BOX),
        ("<US_SSN>", SSN),
        ("<ISBN>", ISBN_10),
        ("<ISBN>", ISBN_13),
        ("<MAC_ADDRESS>", MAC_ADDRESS),
        ("<IBAN>", IBAN),
    ];
    patterns.map(|(placeholder, pattern)| (placeholder, compile(pattern))).into()
});

/// Patterns for text that Dapr does not scrub.
static IGNORED: LazyLock<[Regex; 2]> = LazyLock::new(|| [STRICT_LINK, GIT_REPO].map(compile));

/// Two patterns: the start of a possible street address, and a whole street address at the start of
/// the input.
static STREET: LazyLock<(Regex, Regex)> =
    LazyLock::new(|| (compile(r"\d{1,4} "), compile(&format!(r"\A(?:{STREET_ADDRESS})"))));

/// Returns the matches of all patterns, sorted by start. Of matches with the same start, the
/// longest comes first. Of matches with the same range, that of the last pattern comes first.
pub(super) fn find(text: &str) -> Vec<Found> {
    let to_match = |placeholder, range: Range<usize>| Found {
        start: range.start,
        end: range.end,
        placeholder,
    };
    let streets = street_addresses(text).map(|range| to_match("<STREET_ADDRESS>", range));
    let others = PERSONAL.iter().flat_map(|(placeholder, pattern)| {
        pattern.find_iter(text).map(move |found| to_match(*placeholder, found.range()))
    });
    let mut matches: Vec<_> = streets.chain(others).collect();
    matches.reverse();
    matches.sort_by_key(|found| (found.start, Reverse(found.end)));
    matches
}

/// Returns the ranges of street addresses. Each house number is tried separately. One search over
/// the whole input is much slower on long runs of numbers, because each combination of partly
/// matched addresses becomes its own regex state.
fn street_addresses(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (house_number, street) = &*STREET;
    let mut at = 0;
    iter::from_fn(move || {
        loop {
            let start = house_number.find_at(text, at)?.start();
            let Some(street) = street.find(&text[start..]) else {
                at = start + 1;
                continue;
            };
            at = start + street.end();
            return Some(start..at);
        }
    })
}

/// Returns the ranges that Dapr does not scrub, sorted by start. Of ranges with the same start, the
/// longest comes first.
pub(super) fn find_ignored(text: &str) -> Vec<Range<usize>> {
    let found = IGNORED.iter().flat_map(|pattern| pattern.find_iter(text));
    let mut ranges: Vec<_> = found.map(|found| found.range()).collect();
    ranges.sort_unstable_by_key(|range| (range.start, Reverse(range.end)));
    ranges
}

/// Under `(?i)`, U+017F matches `s`.
const STREET_ADDRESS: &str = r"(?i)\d{1,4} [\w\s]{1,20}(?:street|st|avenue|ave|road|rd|highway|hwy|square|sq|trail|trl|drive|dr|court|ct|park|parkway|pkwy|circle|cir|boulevard|blvd)\W?";

/// Matches any 15 or 16 digits. The check digit is not verified.
const CREDIT_CARD: &str = r"(?:(?:(?:\d{4}[- ]?){3}\d{4}|\d{15,16}))";

/// Matches only numbers with an extension.
const PHONE_WITH_EXTENSION: &str = r"(?i)(?:(?:\+?1\s*(?:[.-]\s*)?)?(?:\(\s*(?:[2-9]1[02-9]|[2-9][02-8]1|[2-9][02-8][02-9])\s*\)|(?:[2-9]1[02-9]|[2-9][02-8]1|[2-9][02-8][02-9]))\s*(?:[.-]\s*)?)?(?:[2-9]1[02-9]|[2-9][02-9]1|[2-9][02-9]{2})\s*(?:[.-]\s*)?(?:[0-9]{4})(?:\s*(?:#|x\.?|ext\.?|extension)\s*(?:\d+)?)";

/// The initial `/` and the final `/gm` are literal, so nearly all matches come from the middle
/// alternative, which takes any four digits for a phone number.
const PHONE: &str = r"/(?:(?:\+?\d{1,3}[-.\s*]?)?(?:\d\s?){8,11})|(?:(?:\+?\d{1,3}[-.\s*]?)?(?:\(?\d{2,3}\)?[-.\s*]?)?\d{2,3}[-.\s*]?\d{2,6})|(?:(?:(?:\(\+?\d{1,2}\))|(?:\+?\d{1,2}))\s*\d{2}\s*\d{3}\s*\d{4})/gm";

const EMAIL: &str = r"(?i)([A-Za-z0-9!#$%&'*+\/=?^_{|.}~-]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)";

const IPV4: &str =
    r"(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)";

const ZIP_CODE: &str = r"\b\d{5}(?:[-\s]\d{4})?\b";

const PO_BOX: &str = r"(?i)P\.? ?O\.? Box \d+";

const SSN: &str = r"(?:\d{3}-\d{2}-\d{4})";

const ISBN_10: &str = r"(?:[\d]-?){9}[\dxX]";

const ISBN_13: &str = r"(?:[\d]-?){12}[\dxX]";

const MAC_ADDRESS: &str = r"(([a-fA-F0-9]{2}[:-]){5}([a-fA-F0-9]{2}))";

const IBAN: &str = r"[A-Z]{2}\d{2}[A-Z0-9]{4}\d{7}([A-Z\d]?){0,16}";

/// Matches only links with a scheme and a lower-case host.
const STRICT_LINK: &str = r#"(?:(?:https?:\/\/)(?:[a-z0-9.\-]+|www|[a-z0-9.\-])[.](?:[^\s()<>]+|\((?:[^\s()<>]+|(?:\([^\s()<>]+\)))*\))+(?:\((?:[^\s()<>]+|(?:\([^\s()<>]+\)))*\)|[^\s!()\[\]{};:\'".,<>?]))"#;

const GIT_REPO: &str = r"((git|ssh|http(s)?)|(git@[\w\.]+))(:(\/\/)?)([\w\.@\:/\-~]+)(\.git)(\/)?";

/// Matches any form of IPv6 address, an optional zone that extends to the end of the line, and any
/// trailing whitespace.
fn ipv6() -> String {
    const GROUP: &str = "[0-9A-Fa-f]{1,4}";
    const OCTET: &str = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)";
    let v4 = format!(r"{OCTET}(?:\.{OCTET}){{3}}");
    // The alternatives that can follow the first `groups` groups. `::` may replace the remaining
    // groups.
    let rest = |groups: usize| match groups {
        7 => format!("{GROUP}|:"),
        6 => format!(":{GROUP}|{v4}|:"),
        _ => {
            let (max, max_before_v4) = (7 - groups, 5 - groups);
            format!("(?::{GROUP}){{1,{max}}}|(?::{GROUP}){{0,{max_before_v4}}}:{v4}|:")
        }
    };
    let forms = (1..=7).rev().map(|groups| format!("(?:{GROUP}:){{{groups}}}(?:{})", rest(groups)));
    let forms = forms.chain([format!(":(?:{})", rest(0))]).collect::<Vec<_>>();
    format!(r"(?:{})(?:%.+)?\s*", forms.join("|"))
}

/// Go's classes and their replacements. The replacements also work inside brackets because brackets
/// nest.
const CLASSES: [(&str, &str); 5] = [
    (r"\d", "[0-9]"),
    (r"\w", "[0-9A-Za-z_]"),
    (r"\W", "[^0-9A-Za-z_]"),
    (r"\s", r"[\t\n\x0C\r ]"),
    (r"\b", r"(?-u:\b)"),
];

/// Compiles a pattern in Go's syntax. The pattern must not contain an escaped backslash.
///
/// Both engines descend from RE2: they match leftmost-first and in linear time, support no
/// look-around, and use simple Unicode case folding under `(?i)`. The engines differ in two ways.
/// Go's classes contain only ASCII characters, and Go's `\s` excludes the vertical tab.
#[expect(clippy::expect_used, reason = "patterns are constants, and the tests compile them all")]
fn compile(go: &str) -> Regex {
    let rust = CLASSES.iter().fold(go.to_owned(), |text, (go, rust)| text.replace(go, rust));
    Regex::new(&rust).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn classes_are_ascii() {
        let cases = [
            (r"^\d$", "5", true),
            (r"^\d$", "５", false),
            (r"^\w$", "_", true),
            (r"^\w$", "é", false),
            (r"^\W$", "é", true),
            (r"^[\s]$", "\u{c}", true),
            (r"^[\s]$", "\u{b}", false),
            (r"^\s$", "\u{a0}", false),
            (r"^[^\s]$", "\u{b}", true),
            (r"\b5\b", "é5é", true),
            (r"\b5\b", "a5", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(compile(pattern).is_match(text), expected, "{pattern} {text:?}");
        }
    }

    /// U+017F folds to s, and U+212A folds to k. A negated class is folded before it is negated.
    #[test]
    fn case_folding_is_unicode() {
        let cases =
            [(r"(?i)^st$", "ſT", true), (r"(?i)^\w$", "ſ", true), (r"(?i)^\W$", "\u{212a}", false)];
        for (pattern, text, expected) in cases {
            assert_eq!(compile(pattern).is_match(text), expected, "{pattern} {text:?}");
        }
    }
}
