//! Detects arithmetic such as `10 + 5` and "add 5".

use crate::text::lexicon::ARITHMETIC_VERBS;

/// The role of a word if the next word is a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Operand {
    #[default]
    None,
    /// A number. It forms arithmetic if an operator comes before the next number.
    Number,
    /// A verb such as "add".
    Verb,
}

impl Operand {
    /// Replaces the role of a word by that of the next word, which is `form`. Returns `true` if the
    /// two words form arithmetic.
    pub(super) fn ends_arithmetic(&mut self, form: &str, separator: &str) -> bool {
        let is_number = form.starts_with(|c: char| c.is_ascii_digit());
        let is_arithmetic = match self {
            Self::None => false,
            Self::Number => is_number && is_operator(separator),
            Self::Verb => is_number,
        };
        *self = if is_number && form.ends_with(|c: char| c.is_ascii_digit()) {
            Self::Number
        } else if ARITHMETIC_VERBS.contains(&form) {
            Self::Verb
        } else {
            Self::None
        };
        is_arithmetic
    }
}

/// The operators, which separate two numbers.
pub(super) const OPERATORS: [&str; 5] = ["+", "*", "^", "-", "/"];

/// Returns `true` if the separator between two numbers is an operator. `-` and `/` need spaces
/// around them: without spaces, they are usually part of a date or a phone number.
fn is_operator(separator: &str) -> bool {
    let operator = separator.trim();
    let spaced =
        separator.starts_with(char::is_whitespace) && separator.ends_with(char::is_whitespace);
    match operator {
        "+" | "*" | "^" => spaced || operator == separator,
        "-" | "/" => spaced,
        _ => false,
    }
}
