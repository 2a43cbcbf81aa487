//! Sample strings for each `format`.

use std::sync::LazyLock;

use super::pattern::Pattern;

/// Maximum number of bytes of a sample.
const MAX_LEN: usize = 4 * 1024;

/// The names of formats, and the patterns of the preferred sample, of its other variants and of a
/// short sample, which may be empty. The samples are the shortest matches.
const FORMATS: [(&str, [&str; 3]); 13] = [
    (
        "email idn-email",
        [r"x*test@example\.com", r"test[2-9][0-9]*@example\.com", r"a[0-9]*@b\.co"],
    ),
    (
        "uri iri uri-reference iri-reference uri-template url",
        [r"https://example\.com(/x*)?", r"https://example\.com/[2-9][0-9]*", r"urn:a:[0-9]*a"],
    ),
    (
        "hostname idn-hostname",
        [r"(x\.)*example\.com", r"test[2-9][0-9]*(\.x)*\.example\.com", r"a[0-9]*"],
    ),
    ("uuid", ["00000000-0000-4000-8000-000000000000", r"00000000-0000-4000-8000-[0-9]{12}", ""]),
    ("date", ["2024-01-15", r"2[0-9]{3}-01-15", ""]),
    ("date-time", ["2024-01-15T12:00:00Z", r"2[0-9]{3}-01-15T12:00:00Z", ""]),
    ("time", ["12:00:00Z", r"12:00:00\.[0-9]{3}Z", ""]),
    ("duration", ["P1D", r"P[2-9][0-9]*D", ""]),
    ("ipv4", [r"192\.0\.2\.1", r"192\.0\.[0-9]\.[1-9][0-9]?", ""]),
    ("ipv6", ["2001:db8::1", r"2001:db8::[2-9][0-9]{0,3}", ""]),
    ("json-pointer", ["/test", r"/test[2-9][0-9]*", r"/[0-9]*"]),
    ("relative-json-pointer", ["0", r"[1-9][0-9]*", ""]),
    ("regex", [r"test\.\*", r"test[2-9][0-9]*\.\*", r"a[0-9]*"]),
];

static PATTERNS: LazyLock<Vec<[Option<Pattern>; 3]>> =
    LazyLock::new(|| FORMATS.iter().map(|(_, patterns)| patterns.map(Pattern::parse)).collect());

fn find(name: &str) -> Option<usize> {
    FORMATS.iter().position(|(names, _)| names.split(' ').any(|it| it == name))
}

/// Returns `true` if there are samples for a format.
pub(super) fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Returns the preferred sample for a format and a shorter one, with at least `min_len` characters
/// if possible. Returns `None` if the format is unknown.
pub(super) fn candidates(name: &str, variant: usize, min_len: usize) -> Option<Vec<String>> {
    let [first, other, short] = &PATTERNS[find(name)?];
    let preferred = if variant == 0 { first } else { other };
    let sample =
        |pattern: &Pattern| pattern.generate(variant.saturating_sub(1), true, min_len, MAX_LEN);
    Some([preferred, short].into_iter().flatten().filter_map(sample).collect())
}
