//! The patterns of Dapr's scrubber, and their order, which decides between equal ranges.
//!
//! They are those of github.com/aavaz-ai/pii-scrubber, character by character, slips included.

use std::{iter, ops::Range, sync::LazyLock};

use regex::Regex;

use super::go_regex::compile;

/// Personal data in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// What is written in its place.
    pub(super) placeholder: &'static str,
}

/// What is to be scrubbed after street addresses, with its placeholder.
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

/// What is left alone, with all that touches it.
static IGNORED: LazyLock<[Regex; 2]> = LazyLock::new(|| [STRICT_LINK, GIT_REPO].map(compile));

/// Where a street address may start, and one at the start of a text.
static STREET: LazyLock<(Regex, Regex)> =
    LazyLock::new(|| (compile(r"\d{1,4} "), compile(&format!(r"\A(?:{STREET_ADDRESS})"))));

/// The matches of every pattern, pattern by pattern.
pub(super) fn personal(text: &str) -> Vec<Found> {
    let found = |placeholder, range: Range<usize>| Found {
        start: range.start,
        end: range.end,
        placeholder,
    };
    let streets = street_addresses(text).map(|street| found("<STREET_ADDRESS>", street));
    let others = PERSONAL.iter().flat_map(|(placeholder, pattern)| {
        pattern.find_iter(text).map(move |one| found(*placeholder, one.range()))
    });
    streets.chain(others).collect()
}

/// Tries each house number on its own. One search for all of them is slower by far on numbers in
/// a row, since every set of streets begun is a state of its own.
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

/// The zones of a text that Dapr ignores, in no order.
pub(super) fn ignored(text: &str) -> Vec<Range<usize>> {
    IGNORED.iter().flat_map(|pattern| pattern.find_iter(text).map(|zone| zone.range())).collect()
}

/// Under `(?i)` U+017F counts as s.
const STREET_ADDRESS: &str = r"(?i)\d{1,4} [\w\s]{1,20}(?:street|st|avenue|ave|road|rd|highway|hwy|square|sq|trail|trl|drive|dr|court|ct|park|parkway|pkwy|circle|cir|boulevard|blvd)\W?";

/// Any fifteen or sixteen digits: no check digit is looked at.
const CREDIT_CARD: &str = r"(?:(?:(?:\d{4}[- ]?){3}\d{4}|\d{15,16}))";

/// The extension is required.
const PHONE_WITH_EXTENSION: &str = r"(?i)(?:(?:\+?1\s*(?:[.-]\s*)?)?(?:\(\s*(?:[2-9]1[02-9]|[2-9][02-8]1|[2-9][02-8][02-9])\s*\)|(?:[2-9]1[02-9]|[2-9][02-8]1|[2-9][02-8][02-9]))\s*(?:[.-]\s*)?)?(?:[2-9]1[02-9]|[2-9][02-9]1|[2-9][02-9]{2})\s*(?:[.-]\s*)?(?:[0-9]{4})(?:\s*(?:#|x\.?|ext\.?|extension)\s*(?:\d+)?)";

/// The slashes at both ends and `gm` are taken literally, so that the middle alternative does nearly
/// all the work: any four digits are a phone number.
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

/// Only with a scheme, and a host in lower case.
const STRICT_LINK: &str = r#"(?:(?:https?:\/\/)(?:[a-z0-9.\-]+|www|[a-z0-9.\-])[.](?:[^\s()<>]+|\((?:[^\s()<>]+|(?:\([^\s()<>]+\)))*\))+(?:\((?:[^\s()<>]+|(?:\([^\s()<>]+\)))*\)|[^\s!()\[\]{};:\'".,<>?]))"#;

const GIT_REPO: &str = r"((git|ssh|http(s)?)|(git@[\w\.]+))(:(\/\/)?)([\w\.@\:/\-~]+)(\.git)(\/)?";

/// All forms of an IPv6 address, then a zone up to the end of the line, then white space.
fn ipv6() -> String {
    const GROUP: &str = "[0-9A-Fa-f]{1,4}";
    const OCTET: &str = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)";
    let v4 = format!(r"{OCTET}(?:\.{OCTET}){{3}}");
    // What follows so many groups, where two colons may stand for the rest.
    let rest = |groups: usize| match groups {
        7 => format!("{GROUP}|:"),
        6 => format!(":{GROUP}|{v4}|:"),
        _ => {
            let (most, before_v4) = (7 - groups, 5 - groups);
            format!("(?::{GROUP}){{1,{most}}}|(?::{GROUP}){{0,{before_v4}}}:{v4}|:")
        }
    };
    let forms = (1..=7).rev().map(|groups| format!("(?:{GROUP}:){{{groups}}}(?:{})", rest(groups)));
    let forms = forms.chain([format!(":(?:{})", rest(0))]).collect::<Vec<_>>();
    format!(r"(?:{})(?:%.+)?\s*", forms.join("|"))
}
