//! Text from files and other programs.

use std::borrow::Cow;

/// Maximum length of similar names in bytes. Comparing long names is slow.
const MAX_COMPARED: usize = 100;

/// Removes one line break from the end of a text.
pub fn strip_line_break(mut text: String) -> String {
    let line_break = if text.ends_with("\r\n") { 2 } else { usize::from(text.ends_with('\n')) };
    text.truncate(text.len() - line_break);
    text
}

/// Returns the beginning of a text that is longer than `max` characters, with an ellipsis.
pub fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(text[..end].to_owned() + "…"),
        None => Cow::Borrowed(text),
    }
}

/// Returns the end of a text, with an ellipsis, if more than `max` characters are before a place in it.
/// `place` is in characters; at most `max` of them before it are kept.
pub fn shorten_beginning(text: &str, place: usize, max: usize) -> Cow<'_, str> {
    let cut = place.checked_sub(max).filter(|cut| *cut > 0);
    match cut.and_then(|cut| text.char_indices().nth(cut)) {
        Some((start, _)) => Cow::Owned("…".to_owned() + &text[start..]),
        None => Cow::Borrowed(text),
    }
}

/// Returns how many characters two texts have in common at their beginning.
pub fn difference(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// Returns the name that is most similar to a text, if one is similar.
pub fn nearest<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let similar = |name: &&str| {
        let longer = text.len().max(name.len());
        longer <= MAX_COMPARED && strsim::osa_distance(text, name) <= (longer / 3).max(1)
    };
    let similar = names.into_iter().filter(similar);
    similar.min_by_key(|name| strsim::osa_distance(text, name))
}

/// Returns the expression if a template consists of a single one, such as `{{ n | int }}`, without
/// control of white space.
pub fn single_expression(template: &str) -> Option<&str> {
    let expression = template.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    let is_marked = expression.starts_with(['-', '+']) || expression.ends_with(['-', '+']);
    (!is_marked && !expression.contains("{{") && !expression.contains("}}")).then_some(expression)
}

/// Returns a number with its noun, whose plural ends in s.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortens_long_texts() {
        for (text, expected) in [("", ""), ("äöü", "äöü"), ("äöüß", "äöü…")] {
            assert_eq!(shorten(text, 3), expected);
        }
    }

    #[test]
    fn finds_the_nearest_name() {
        let names = ["echo", "openai", "gpt-4o"];
        for (text, expected) in [
            ("opnai", Some("openai")),
            ("gpt4o", Some("gpt-4o")),
            ("ehco", Some("echo")),
            ("other", None),
            ("", None),
        ] {
            assert_eq!(nearest(text, names), expected, "{text}");
        }
    }

    #[test]
    fn finds_single_expressions() {
        for (template, expected) in [
            ("{{ n | int }}", Some(" n | int ")),
            (" {{n}}\n", Some("n")),
            ("{{ {'a': 1} }}", Some(" {'a': 1} ")),
            ("{{ a }}{{ b }}", None),
            ("{{ a }} b", None),
            ("{{- a }}", None),
            ("{{ a -}}", None),
            ("a", None),
            ("{{}", None),
        ] {
            assert_eq!(single_expression(template), expected, "{template}");
        }
    }

    #[test]
    fn strips_one_line_break() {
        for (text, expected) in [("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n")] {
            assert_eq!(strip_line_break(text.to_owned()), expected, "{text:?}");
        }
    }
}
