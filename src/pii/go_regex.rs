//! Compiles regular expressions in Go's syntax with the `regex` crate.
//!
//! Both engines descend from RE2: they match leftmost-first and in linear time, support no
//! look-around, and use simple Unicode case folding under `(?i)`. The engines differ in two ways.
//! Go's classes contain only ASCII characters, and Go's `\s` excludes the vertical tab.

use regex::Regex;

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
#[expect(clippy::expect_used, reason = "patterns are constants, and the tests compile them all")]
pub(super) fn compile(go: &str) -> Regex {
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
