//! What a terminal shows, what it must not obey, and where the text of a program ends.

use std::borrow::Cow;

/// The longest that [`short`] keeps, in characters.
const LONGEST: usize = 200;

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Into a file or a pipe, as it is.
    Plain,
    /// To a terminal.
    Terminal,
    /// To a terminal, with colours.
    Colours,
}

impl Look {
    /// The text as it may be written.
    pub(crate) fn text(self, text: &str) -> Cow<'_, str> {
        if self == Self::Plain { Cow::Borrowed(text) } else { harmless(text) }
    }

    /// What matters.
    pub(crate) fn bold(self, text: &str) -> String {
        self.styled(1, text)
    }

    /// What stands beside it.
    pub(crate) fn dim(self, text: &str) -> String {
        self.styled(2, text)
    }

    fn styled(self, code: u8, text: &str) -> String {
        let text = self.text(text);
        if self == Self::Colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into_owned() }
    }
}

/// The text with pictures of control characters in their place, which a terminal would obey; line
/// breaks and tabs stay.
///
/// ```
/// use mynah::base::terminal::harmless;
/// assert_eq!(harmless("\x1b[2Jone\ntwo"), "␛[2Jone\ntwo");
/// ```
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_safe = |char: char| !char.is_control() || matches!(char, '\n' | '\t');
    if text.chars().all(is_safe) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|char| if is_safe(char) { char } else { picture(char) }).collect()
}

/// The beginning of a text, on one line.
pub(crate) fn short(text: &str) -> String {
    let line: String = text.chars().take(LONGEST).collect();
    let end = if line.len() < text.len() { "…" } else { "" };
    harmless(&line.replace(['\n', '\r', '\t'], " ")).into_owned() + end
}

/// The text that a program has written, without the line break that ends its last line.
pub(crate) fn without_line_break(mut text: String) -> String {
    let line_break = if text.ends_with("\r\n") { 2 } else { usize::from(text.ends_with('\n')) };
    text.truncate(text.len() - line_break);
    text
}

/// Unicode has a picture of each of the older ones.
fn picture(control: char) -> char {
    let picture = match control {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(control)),
        '\x7f' => Some('\u{2421}'),
        _ => None,
    };
    picture.unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing() {
        let text = "\x1b[2Jä\tb\r\n\x7f\u{9b}31m";
        assert_eq!(Look::Terminal.text(text), "␛[2Jä\tb␍\n␡\u{fffd}31m");
        assert_eq!(Look::Plain.text(text), text);
    }

    #[test]
    fn what_is_shown_is_a_short_line() {
        assert_eq!(short("a\r\n\x1bb"), "a  ␛b");
        assert_eq!(short(&"ä".repeat(LONGEST)), "ä".repeat(LONGEST));
        assert_eq!(short(&"ä".repeat(LONGEST + 1)), "ä".repeat(LONGEST) + "…");
    }
}
