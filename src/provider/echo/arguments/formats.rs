//! Strings by `format`.

/// The `nth` string of a format with a length in the range; `None` for a format that is not known.
pub(super) fn candidates(
    format: &str,
    nth: usize,
    least: usize,
    most: usize,
) -> Option<Vec<String>> {
    let examples = examples(format, nth)?;
    let fits = |text: &String| (least..=most).contains(&text.len());
    Some(examples.into_iter().map(|text| stretched(format, text, least)).filter(fits).collect())
}

/// Whether a format is one of those that strings are made for.
pub(super) fn is_known(format: &str) -> bool {
    examples(format, 0).is_some()
}

/// The usual example, then shorter ones.
fn examples(format: &str, nth: usize) -> Option<Vec<String>> {
    // The first has no number: test@example.com, test2@example.com, …
    let number = if nth == 0 { String::new() } else { (nth + 1).to_string() };
    let year = 2024 + nth % 7000;
    Some(match format {
        "email" | "idn-email" => {
            vec![
                format!("test{number}@example.com"),
                format!("t{number}@example.com"),
                format!("a{number}@b.co"),
            ]
        }
        "uri" | "iri" | "uri-reference" | "iri-reference" | "uri-template" | "url" => {
            let slash = if nth == 0 { "" } else { "/" };
            vec![format!("https://example.com{slash}{number}"), format!("urn:a:{number}a")]
        }
        "uuid" => vec![format!("00000000-0000-4000-8000-{nth:012x}")],
        "date" => vec![format!("{year}-01-15")],
        "date-time" => vec![format!("{year}-01-15T12:00:00Z")],
        "time" => vec![format!("12:{:02}:{:02}Z", nth / 60 % 60, nth % 60)],
        "duration" => vec![format!("P{}D", nth + 1)],
        "ipv4" => vec![format!("192.0.{}.{}", 2 + nth / 250 % 250, 1 + nth % 250)],
        "ipv6" => vec![format!("2001:db8::{:x}", nth % 0xffff + 1)],
        "hostname" | "idn-hostname" => {
            vec![format!("{}example.com", label(nth)), format!("a{number}")]
        }
        "json-pointer" => vec![format!("/test{number}"), format!("/{number}")],
        "relative-json-pointer" => vec![nth.to_string()],
        "regex" => vec![format!("test{number}.*"), format!("a{number}")],
        _ => return None,
    })
}

fn label(nth: usize) -> String {
    if nth == 0 { String::new() } else { format!("test{}.", nth + 1) }
}

/// Longer, where the format has a place for more letters.
fn stretched(format: &str, text: String, least: usize) -> String {
    let missing = least.saturating_sub(text.len());
    if missing == 0 || least > MAX_STRETCHED {
        return text;
    }
    match format {
        "email" | "idn-email" if text.len() + missing <= 64 => "x".repeat(missing) + &text,
        "uri" | "iri" | "uri-reference" | "iri-reference" | "uri-template" | "url" => {
            text + "/" + &"x".repeat(missing - 1)
        }
        "hostname" | "idn-hostname" if least <= 250 => labels(missing) + &text,
        "json-pointer" | "regex" => text + &"x".repeat(missing),
        _ => text,
    }
}

const MAX_STRETCHED: usize = 64 * 1024;

/// At least `length` letters, with a dot after at most 50 of them.
fn labels(length: usize) -> String {
    let mut labels = String::new();
    while labels.len() < length {
        labels += &"x".repeat((length - labels.len() - 1).clamp(1, 50));
        labels.push('.');
    }
    labels
}
