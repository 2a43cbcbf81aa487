//! Makes letters that some condition may take for equal the same.

use std::borrow::Cow;

/// Returns a text in which the case of letters makes no difference. If a text contains another one,
/// with or without regard to case, the same is true of what this function returns for them.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return text.chars().flat_map(fold_char).collect();
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return text.to_ascii_lowercase().into();
    }
    text.into()
}

/// Each character by itself, because the position of a sigma in its word must not matter. By way of
/// upper case, because some letters have several lower-case forms.
fn fold_char(char: char) -> impl Iterator<Item = char> {
    char.to_lowercase().flat_map(|lower| {
        let mut upper = lower.to_uppercase();
        match (upper.next(), upper.next()) {
            (Some(upper), None) => upper.to_lowercase(),
            _ => lower.to_lowercase(),
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::RegexBuilder;

    use super::*;

    #[test]
    fn equates_the_forms_of_letters() {
        let cases = [
            ("Weather", "weather"),
            ("ÄÖÜ ẞ", "äöü ß"),
            ("ΟΔΟΣ οδος", "οδοσ οδοσ"),
            ("\u{212a}elvin ſ", "kelvin s"),
            ("İ", "i\u{307}"),
        ];
        for (text, expected) in cases {
            assert_eq!(fold(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn keeps_what_a_text_contains(
            before in "[aAsSſΣσςkK\u{212a}éÉßẞİıǅ ]{0,4}", part in "[aAsSſΣσςkK\u{212a}éÉßẞİıǅ ]{0,4}",
            after in "[aAsSſΣσςkK\u{212a}éÉßẞİıǅ ]{0,4}", other in "[aAsSſΣσςkK\u{212a}éÉßẞİıǅ ]{0,3}",
        ) {
            let text = format!("{before}{part}{after}");
            prop_assert!(fold(&text).contains(&*fold(&part)));
            if text.to_lowercase().contains(&other.to_lowercase()) {
                prop_assert!(fold(&text).contains(&*fold(&other)), "{text:?} {other:?}");
            }
        }

        #[test]
        fn equates_what_patterns_equate(left in any::<char>(), right in any::<char>()) {
            let pattern = format!("^{}$", regex_syntax::escape(&left.to_string()));
            let pattern = RegexBuilder::new(&pattern).case_insensitive(true).build().unwrap();
            let (left, right) = (left.to_string(), right.to_string());
            if pattern.is_match(&right) {
                prop_assert_eq!(fold(&left), fold(&right));
            }
        }
    }
}
