//! Folds the case of letters, so that the index finds texts whatever their case.

use std::borrow::Cow;

/// Folds the case of letters. If a text contains another one, with or without regard to case, the
/// folded text contains the other folded text. Patterns equate a few letters that fold differently;
/// [`required_literals`](super::literals::required_literals) does not use such letters.
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
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::{super::literals::required_literals, *};

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
    }

    /// The characters that patterns equate although they fold differently.
    const EXCEPTIONS: [[char; 2]; 3] =
        [['\u{390}', '\u{1fd3}'], ['\u{3b0}', '\u{1fe3}'], ['\u{fb05}', '\u{fb06}']];

    #[test]
    fn equates_what_patterns_equate() {
        let mut different = Vec::new();
        for char in '\0'..=char::MAX {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(char, char)]);
            class.case_fold_simple();
            let forms = class.ranges().iter().flat_map(|it| it.start()..=it.end());
            let differs = |form: &char| fold(&form.to_string()) != fold(&char.to_string());
            different
                .extend(forms.filter(|form| char < *form).filter(differs).map(|form| [char, form]));
        }
        assert_eq!(different, EXCEPTIONS);
    }

    #[test]
    fn exceptions_are_not_required_literals() {
        for char in EXCEPTIONS.concat() {
            assert_eq!(required_literals(&char.to_string(), true), None, "{char:?}");
        }
    }
}
