//! Sample strings for each `format`.

/// The samples of a format.
struct Format {
    names: &'static str,
    first: &'static str,
    /// The samples after the first: `{}` stands for their number, `{3}` for three digits of it.
    other: &'static str,
    /// The same for a short sample. Empty if there is none.
    short: &'static str,
    /// How to lengthen a sample, if that is possible.
    lengthen: Option<fn(&str, usize) -> String>,
}

const FORMATS: [Format; 13] = [
    format(
        "email idn-email",
        ["test@example.com", "test{}@example.com", "a{}@b.co"],
        Some(|text, missing| "x".repeat(missing) + text),
    ),
    format(
        "uri iri uri-reference iri-reference uri-template url",
        ["https://example.com", "https://example.com/{}", "urn:a:{}a"],
        Some(|text, missing| format!("{text}/{}", "x".repeat(missing - 1))),
    ),
    format(
        "hostname idn-hostname",
        ["example.com", "test{}.example.com", "a{}"],
        Some(|text, missing| "x".repeat(missing % 2) + &"x.".repeat(missing / 2) + text),
    ),
    format(
        "uuid",
        ["00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-{12}", ""],
        None,
    ),
    format("date", ["2024-01-15", "2{3}-01-15", ""], None),
    format("date-time", ["2024-01-15T12:00:00Z", "2{3}-01-15T12:00:00Z", ""], None),
    format("time", ["12:00:00Z", "12:00:00.{3}Z", ""], None),
    format("duration", ["P1D", "P{}D", ""], None),
    format("ipv4", ["192.0.2.1", "192.0.2.{}", ""], None),
    format("ipv6", ["2001:db8::1", "2001:db8::{}", ""], None),
    format("json-pointer", ["/test", "/test{}", "/{}"], Some(append)),
    format("relative-json-pointer", ["0", "{}", ""], None),
    format("regex", ["test.*", "test{}.*", "a{}"], Some(append)),
];

const MAX_LENGTHENED: usize = 64 * 1024;

const fn format(
    names: &'static str,
    [first, other, short]: [&'static str; 3],
    lengthen: Option<fn(&str, usize) -> String>,
) -> Format {
    Format { names, first, other, short, lengthen }
}

fn append(text: &str, missing: usize) -> String {
    text.to_owned() + &"x".repeat(missing)
}

fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.names.split(' ').any(|it| it == name))
}

/// Returns `true` if there are samples for a format.
pub(super) fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Returns the preferred sample for a format and a shorter one, with at least `min_len` characters
/// if possible. Returns `None` if the format is unknown.
pub(super) fn candidates(name: &str, variant: usize, min_len: usize) -> Option<Vec<String>> {
    let format = find(name)?;
    let preferred = if variant == 0 { format.first } else { format.other };
    let samples = [preferred, format.short].into_iter().filter(|sample| !sample.is_empty());
    let lengthen = |text: String| match (min_len.saturating_sub(text.len()), format.lengthen) {
        (missing @ 1..MAX_LENGTHENED, Some(lengthen)) => lengthen(&text, missing),
        _ => text,
    };
    Some(samples.map(|sample| lengthen(number(sample, variant))).collect())
}

/// Writes the number of a variant into a sample.
fn number(sample: &str, variant: usize) -> String {
    let number = if variant == 0 { String::new() } else { (variant + 1).to_string() };
    let sample = sample.replace("{}", &number);
    let padded = |sample: String, width| {
        sample.replace(&format!("{{{width}}}"), &format!("{number:0>width$}"))
    };
    padded(padded(sample, 3), 12)
}
