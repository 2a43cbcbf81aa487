//! Text from files and other programs.

/// Removes one line break from the end of a text.
pub(crate) fn strip_line_break(mut text: String) -> String {
    let line_break = if text.ends_with("\r\n") { 2 } else { usize::from(text.ends_with('\n')) };
    text.truncate(text.len() - line_break);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_one_line_break() {
        for (text, expected) in [("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n")] {
            assert_eq!(strip_line_break(text.to_owned()), expected, "{text:?}");
        }
    }
}
