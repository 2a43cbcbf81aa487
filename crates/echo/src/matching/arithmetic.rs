//! Detects arithmetic such as `10 + 5` and "add 5".

use crate::text::lexicon::ARITHMETIC_VERBS;

/// Returns `true` if two words form arithmetic: a number or a verb such as "add", and a number.
pub(super) fn is_arithmetic(form: &str, separator: &str, next: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let is_number = form.starts_with(is_digit) && form.ends_with(is_digit);
    next.starts_with(is_digit)
        && (is_number && is_operator(separator) || ARITHMETIC_VERBS.contains(&form))
}

/// The keyword that arithmetic is.
pub(super) const ARITHMETIC: &str = "+";
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
