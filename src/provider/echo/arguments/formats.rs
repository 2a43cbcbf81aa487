//! Sample strings for each `format`.

/// Returns the `nth` variant of each sample for a format, without those whose length is out of
/// range. Returns `None` if the format is unknown.
pub(super) fn candidates(
    format: &str,
    nth: usize,
    min_len: usize,
    max_len: usize,
) -> Option<Vec<String>> {
    let examples = examples(format, nth)?;
    let fits = |text: &String| (min_len..=max_len).contains(&text.len());
    Some(examples.into_iter().map(|text| lengthen(format, text, min_len)).filter(fits).collect())
}

/// Returns `true` if there are samples for a format.
pub(super) fn is_known(format: &str) -> bool {
    examples(format, 0).is_some()
}

/// Returns the preferred sample, followed by shorter ones.
fn examples(format: &str, nth: usize) -> Option<Vec<String>> {
    // Samples are numbered from the second variant on: test@example.com, test2@example.com, …
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
            vec![format!("{}example.com", host_label(nth)), format!("a{number}")]
        }
        "json-pointer" => vec![format!("/test{number}"), format!("/{number}")],
        "relative-json-pointer" => vec![nth.to_string()],
        "regex" => vec![format!("test{number}.*"), format!("a{number}")],
        _ => return None,
    })
}

fn host_label(nth: usize) -> String {
    if nth == 0 { String::new() } else { format!("test{}.", nth + 1) }
}

/// Lengthens a sample to `min_len` if the format allows additional letters.
fn lengthen(format: &str, text: String, min_len: usize) -> String {
    let missing = min_len.saturating_sub(text.len());
    if missing == 0 || min_len > MAX_LENGTHENED {
        return text;
    }
    match format {
        "email" | "idn-email" if text.len() + missing <= 64 => "x".repeat(missing) + &text,
        "uri" | "iri" | "uri-reference" | "iri-reference" | "uri-template" | "url" => {
            text + "/" + &"x".repeat(missing - 1)
        }
        "hostname" | "idn-hostname" if min_len <= 250 => filler_labels(missing) + &text,
        "json-pointer" | "regex" => text + &"x".repeat(missing),
        _ => text,
    }
}

const MAX_LENGTHENED: usize = 64 * 1024;

/// Returns host name labels with at least `length` characters in total and at most 50 letters each.
fn filler_labels(length: usize) -> String {
    let mut labels = String::new();
    while labels.len() < length {
        labels += &"x".repeat((length - labels.len() - 1).clamp(1, 50));
        labels.push('.');
    }
    labels
}
