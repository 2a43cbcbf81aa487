//! Tests of both scrubbers.

use proptest::prelude::*;

use super::{Scrubber, patterns};

/// Texts, and the results of scrubbing them with daprd 1.18.
#[rustfmt::skip]
const DAPR: &[(&str, &str)] = &[
    ("+12341567890", "<PHONE_NUMBER>"),
    ("+2222222222", "<PHONE_NUMBER>"),
    ("+4422222222", "<PHONE_NUMBER>"),
    ("1234567890", "<ISBN>"),
    ("1700000000", "<ISBN>"),
    ("5551234", "<PHONE_NUMBER>"),
    ("555-1234", "<PHONE_NUMBER>"),
    ("12345678", "<PHONE_NUMBER>"),
    ("123456789", "<PHONE_NUMBER>"),
    ("123456789012", "<PHONE_NUMBER>"),
    ("1234567890123", "<ISBN>"),
    ("12345", "<ZIP_CODE>"),
    ("12345-6789", "<ZIP_CODE>"),
    ("123456", "<PHONE_NUMBER>"),
    ("4111 1111 1111 1111", "<CREDIT_CARD>"),
    ("4111-1111-1111-1111", "<CREDIT_CARD>"),
    ("4111111111111111", "<CREDIT_CARD>"),
    ("here, 6011553157232994", "here, <CREDIT_CARD>"),
    ("id=12345678901234567890", "id=<CREDIT_CARD>7890"),
    ("test@test.com", "<EMAIL_ADDRESS>"),
    ("user+tag@mail.example.co.uk", "<EMAIL_ADDRESS>"),
    ("My email is 9144520109@gmail.com", "My email is <EMAIL_ADDRESS>"),
    ("10.8.9.1", "<IP>"),
    ("127.0.0.1", "<IP>"),
    ("192.168.0.1:8080", "<IP>:<PHONE_NUMBER>"),
    ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", "<IP>"),
    ("::1", "<IP>"),
    ("fe80::1%eth0 x", "<IP>"),
    ("00-1A-2B-3C-4D-5E", "<MAC_ADDRESS>"),
    ("mac 00:1A:2B:3C:4D:5E", "mac <MAC_ADDRESS>"),
    ("DE89370400440532013000", "<IBAN>"),
    ("IBAN GB29NWBK60161331926819", "IBAN <IBAN>"),
    ("978-3-16-148410-0", "<ISBN>"),
    ("0-306-40615-2", "<ISBN>"),
    ("SSN 123-45-6789", "SSN <US_SSN>"),
    ("My SSN is488-23-3729. Details can be found at https://aavaz.ai/emp/488-23-3729", "My SSN is<US_SSN>. Details can be found at https://aavaz.ai/emp/488-23-3729"),
    ("123-45-6789 123-45-6789", "<US_SSN> <US_SSN>"),
    ("P.O. Box 283", "<PO_BOX>"),
    ("PO Box 42", "<PO_BOX>"),
    ("12 Main Street, Springfield", "<STREET_ADDRESS> Springfield"),
    ("I have 3 children at 12 Elm St.", "I have <STREET_ADDRESS>"),
    ("2 apples drive", "<STREET_ADDRESS>"),
    ("12 Elm ſt", "<STREET_ADDRESS>"),
    ("12345 Sit Rd", "<ZIP_CODE> <STREET_ADDRESS>"),
    ("Iris Watson P.O. Box 283 8562 Fusce Rd. Frederick Nebraska 20620 (372) 587-2335", "Iris Watson <PO_BOX> <STREET_ADDRESS> Frederick Nebraska <ZIP_CODE> <PHONE_NUMBER>"),
    ("Cecilia Chapman 711-2880 Nulla St. Mankato Mississippi 96522 (257) 563-7401", "Cecilia Chapman <PHONE_NUMBER> <STREET_ADDRESS> Mankato Mississippi <ZIP_CODE> <PHONE_NUMBER>"),
    ("call (555) 123-4567 now", "call <PHONE_NUMBER> now"),
    ("call me at 555.123.4567!", "call me at <PHONE_NUMBER>!"),
    ("+1 (415) 555-2671 ext. 42", "<PHONE_NUMBER>"),
    ("2024", "<PHONE_NUMBER>"),
    ("4242", "<PHONE_NUMBER>"),
    ("12 34", "<PHONE_NUMBER>"),
    ("12-34", "<PHONE_NUMBER>"),
    ("12.50", "<PHONE_NUMBER>"),
    ("99.99", "<PHONE_NUMBER>"),
    ("1999.99", "<PHONE_NUMBER>"),
    ("3.14159", "<PHONE_NUMBER>"),
    ("2024-05-01", "<PHONE_NUMBER>"),
    ("10 20 30 40", "<PHONE_NUMBER>"),
    ("order #10023", "order #<ZIP_CODE>"),
    ("order 7, 42 items, $13.37", "order 7, 42 items, $<PHONE_NUMBER>"),
    ("price $1,299.00", "price $1,<PHONE_NUMBER>"),
    ("20/05/2024", "20/05/<PHONE_NUMBER>"),
    ("2025-01-02T03:04:05Z", "<PHONE_NUMBER>T03:04:05Z"),
    ("f47ac10b-58cc-4372-a567-0e02b2c3d479", "f47ac10b-58cc-<PHONE_NUMBER>-a567-0e02b2c3d479"),
    ("0x1234", "0x<PHONE_NUMBER>"),
    (r#"{"zip": 94105}"#, r#"{"zip": <ZIP_CODE>}"#),
    (r#"{"id":"call_0001","n":12}"#, r#"{"id":"call_<PHONE_NUMBER>","n":12}"#),
    ("see http://example.com/5551234567 and 5551234567", "see http://example.com/5551234567 and <ISBN>"),
    ("http://x.y 94105", "http://x.y <ZIP_CODE>"),
    ("www.example.com/5551234567", "www.example.com<PHONE_NUMBER>"),
    ("5551234567 5551234568", "<ISBN> <CREDIT_CARD>6<ISBN>"),
    ("4155551234 4155551235 4155551236 4155551237", "<ISBN> <CREDIT_CARD>3<ISBN> <ISBN> <CREDIT_CARD>3<ISBN>"),
    ("1234567 5551234567", "<PHONE_NUMBER>4<ISBN>"),
    ("94105 94106 94107 94108 94109 94110 94111 94112", "<PHONE_NUMBER> 94107 94108 94109 94110 94111 94112"),
    ("é 5551234567 é", "é <ISBN> é"),
    // These texts were sent to the conversation API.
    ("mail bob@example.com please", "mail <EMAIL_ADDRESS> please"),
    ("at 123 Main Street today", "at <STREET_ADDRESS>today"),
    ("card 4111 1111 1111 1111 end", "card <CREDIT_CARD> end"),
    ("iban DE89370400440532013000", "iban <IBAN>"),
    ("host 10.8.9.1 and 192.168.0.1:8080", "host <IP> and <IP>:<PHONE_NUMBER>"),
    (r#"{"zip": 94105, "n": 12345678}"#, r#"{"zip": <ZIP_CODE>, "n": <PHONE_NUMBER>}"#),
    ("mac 00:1b:44:11:3a:b7", "mac <MAC_ADDRESS>"),
    ("call (555) 123-4567 or +12341567890 now", "call <PHONE_NUMBER> or <PHONE_NUMBER> now"),
    ("ssn 123-45-6789 end", "ssn <US_SSN> end"),
    ("in 2024 we paid 1999.99", "in <PHONE_NUMBER> we paid <PHONE_NUMBER>"),
    ("zip 94105 here", "zip <ZIP_CODE> here"),
    ("well hello there, my phone number is +2222222222", "well hello there, my phone number is <PHONE_NUMBER>"),
    ("well hello there from 10.8.9.1\nwell hello there, my email is test@test.com", "well hello there from <IP>\nwell hello there, my email is <EMAIL_ADDRESS>"),
];

/// Texts that daprd 1.18 does not change.
const UNCHANGED: &[&str] = &[
    "742 Evergreen Terrace",
    "1.5",
    "1.25",
    "42",
    "123",
    "room 101",
    "1 2 3 4",
    "temp -40.5",
    "12:30 pm",
    "v1.18.0",
    "1,234,567",
    "1_000_000",
    "(555)",
    "5 stars",
    "a1b2c3d4e5",
    "https://x.com/a?p=5551234567",
    "git@github.com:org/repo12345.git",
    "https://github.com/org/repo12345.git",
    "５５５１２３４５６７",
    "a\u{b}12 Main\u{b}st",
    "see https://x.com/a?p=5551234567 ok",
    "",
];

#[test]
fn dapr_scrubs_like_daprd() {
    for (text, expected) in DAPR {
        assert_eq!(Scrubber::Dapr.scrub(text), *expected, "{text:?}");
    }
    for text in UNCHANGED {
        assert_eq!(Scrubber::Dapr.scrub(text), *text);
    }
}

/// The expected texts come from daprd's algorithm on Go 1.26.
#[test]
fn dapr_leaks_like_daprd() {
    let cases = [
        // the first byte of a match that touches or overlaps its predecessor
        ("10.8.9.12345 a@b.co", "<IP>4<PHONE_NUMBER> <EMAIL_ADDRESS>"),
        // the same inside a character, where daprd's result contains the byte 0xC5
        ("12 a stſ@x.yz", "<STREET_ADDRESS>\u{fffd}<EMAIL_ADDRESS>"),
        // a match that consists of only that byte, at the end of the text
        ("12 34 st5", "<STREET_ADDRESS>5"),
        // everything from the first match that starts before its predecessor ends
        (
            "1234567890123456789012345678901234567890 bob@example.com",
            "<CREDIT_CARD>789012345678901234567890 bob@example.com",
        ),
        // matches that touch links
        ("1::1%é 5551234567 https://x.y/z 94105", "1::1%é 5551234567 https://x.y/z <ZIP_CODE>"),
        // each of these matches overlaps its predecessor
        (
            "5551234567 5551234567 5551234567 5551234567 5551234567",
            "<ISBN> <CREDIT_CARD>6<ISBN> <ISBN> <CREDIT_CARD>6<ISBN> <ISBN>",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(Scrubber::Dapr.scrub(text), expected, "{text:?}");
    }
}

/// In each of these texts, daprd's unstable sort turns one of the placeholders into
/// `<PHONE_NUMBER>`.
#[test]
fn last_pattern_wins_beyond_twelve_matches() {
    for (number, placeholder) in
        [("94105", "<ZIP_CODE>"), ("5551234567", "<ISBN>"), ("123-45-6789", "<US_SSN>")]
    {
        let repeat = |item| [item; 7].join(", ");
        assert_eq!(Scrubber::Dapr.scrub(&repeat(number)), repeat(placeholder));
    }
    assert_eq!(
        Scrubber::Dapr.scrub("5551234567 5551234567 5551234567 5551234567 5551234567 5551234567"),
        "<ISBN> <CREDIT_CARD>6<ISBN> <ISBN> <CREDIT_CARD>6<ISBN> <ISBN> <CREDIT_CARD>6<ISBN>",
    );
}

#[test]
fn strict_replaces_what_dapr_leaks() {
    let cases = [
        // matches that overlap or touch
        ("5551234567 5551234568", "<ISBN><CREDIT_CARD><ISBN>"),
        ("1234567 5551234567", "<PHONE_NUMBER><ISBN>"),
        ("id=12345678901234567890", "id=<CREDIT_CARD><ISBN>"),
        // matches after one that starts before its predecessor ends
        (
            "94105 94106 94107 94108 94109 94110 94111 94112",
            "<PHONE_NUMBER> <PHONE_NUMBER> <PHONE_NUMBER> <PHONE_NUMBER>",
        ),
        // links, and the matches that touch them
        ("https://aavaz.ai/emp/488-23-3729", "https://aavaz.ai/emp/<US_SSN>"),
        ("git@github.com:org/repo12345.git", "<EMAIL_ADDRESS>:org/repo<PHONE_NUMBER>.git"),
        // equal ranges
        ("94105", "<ZIP_CODE>"),
        ("1234567890", "<ISBN>"),
        ("123-45-6789", "<US_SSN>"),
        // a match inside another match
        ("My email is 9144520109@gmail.com", "My email is <EMAIL_ADDRESS>"),
        ("room 101", "room 101"),
    ];
    for (text, expected) in cases {
        assert_eq!(Scrubber::Strict.scrub(text), expected, "{text:?}");
    }
}

/// The starts, middles and ends of matches.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "12345", "5551234567", "415-555-2671", "(555) 123-4567", "+1 ", "ext. 4", "x", "#", " ", "-", ".",
    "/", "a@b.co", "@", "10.8.9.1", "::1", "%eth0", "2001:db8:", "12 Main Street", "9 a st", "ſ", "é", "日",
    "https://x.com/", "http://a.b(", ")", "git@h:o/r.git", "PO Box 9", "00:1A:2B:3C:4D:5E",
    "DE89370400440532013000", "978-3-16-148410-0", "123-45-6789", "4111 1111 1111 1111", "/gm", "\n", "\u{b}",
    "<", ">", "1", "12", "123", "word",
];

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{1,3}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn dapr_changes_only_texts_with_matches(text in texts()) {
        let has_matches = !patterns::find(&text).is_empty();
        let scrubbed = Scrubber::Dapr.scrub(&text);
        prop_assert!(has_matches || scrubbed == text);
    }

    #[test]
    fn strict_leaves_no_match(text in texts()) {
        let scrubbed = Scrubber::Strict.scrub(&text).into_owned();
        prop_assert_eq!(patterns::find(&scrubbed), []);
        prop_assert_eq!(Scrubber::Strict.scrub(&scrubbed), scrubbed.as_str());
    }
}

/// A step that takes quadratic time would take minutes.
#[test]
fn hostile_texts_are_scrubbed_quickly() {
    let pieces = [
        "1",
        "12 ",
        "1 s",
        "12 Main ",
        "a@",
        "a@b.",
        "a@b.c-",
        "::",
        "1:",
        "1.1.1.",
        "00:",
        "2125551234 \t",
        "http://x.",
        "http://x.a(",
        "http://x.a((b)",
        "git:a.git",
        "git@",
        "94105 94106 ",
        "4155551234 ",
    ];
    for piece in pieces {
        let text = piece.repeat(64 * 1024 / piece.len());
        let is_bounded = |scrubbed: &str| scrubbed.len() < 4 * text.len();
        assert!(is_bounded(&Scrubber::Dapr.scrub(&text)), "{piece:?}");
        assert!(is_bounded(&Scrubber::Strict.scrub(&text)), "{piece:?}");
    }
}
