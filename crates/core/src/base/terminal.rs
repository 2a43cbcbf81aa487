//! Text for terminals: styling, and protection from control characters.

use std::borrow::Cow;

use super::environment::Environment;

/// The maximum length of a [`preview`], in characters.
const MAX_PREVIEW: usize = 200;

/// The styling of text for an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Styling {
    /// For files and pipes: text is written as it is.
    Raw,
    /// For terminals without colors: control characters are replaced.
    Sanitized,
    /// For terminals: control characters are replaced, and text can be bold or dim.
    Colored,
}

impl Styling {
    /// Returns the styling for a terminal or for another output. `NO_COLOR` disables colors.
    pub fn new(is_terminal: bool, environment: &Environment) -> Self {
        let no_color = environment.get("NO_COLOR").is_some_and(|value| !value.is_empty());
        match (is_terminal, no_color) {
            (false, _) => Self::Raw,
            (true, true) => Self::Sanitized,
            (true, false) => Self::Colored,
        }
    }

    /// Returns a text as it is, without control characters if they may not be written.
    pub fn plain(self, text: &str) -> Cow<'_, str> {
        if self == Self::Raw { Cow::Borrowed(text) } else { sanitize_for_terminal(text) }
    }

    /// Returns a text in bold, if there are colors.
    pub fn bold(self, text: &str) -> String {
        self.styled(1, text)
    }

    /// Returns a dimmed text, if there are colors.
    pub fn dim(self, text: &str) -> String {
        self.styled(2, text)
    }

    fn styled(self, code: u8, text: &str) -> String {
        let text = self.plain(text);
        if self == Self::Colored { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into_owned() }
    }
}

/// Replaces control characters, which a terminal would interpret, with visible symbols. Line breaks
/// and tabs are kept.
///
/// ```
/// use mynah_core::base::terminal::sanitize_for_terminal;
/// assert_eq!(sanitize_for_terminal("\x1b[2Jone\ntwo"), "␛[2Jone\ntwo");
/// ```
pub fn sanitize_for_terminal(text: &str) -> Cow<'_, str> {
    let is_safe = |char: char| !char.is_control() || matches!(char, '\n' | '\t');
    if text.chars().all(is_safe) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|char| if is_safe(char) { char } else { symbol(char) }).collect()
}

/// Escapes control characters and line breaks, so that a text cannot forge lines of a log or of a
/// report.
///
/// ```
/// use mynah_core::base::terminal::escape_controls;
/// assert_eq!(escape_controls("\x1b[2Jone\ntwo"), r"\u{1b}[2Jone\ntwo");
/// ```
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    let is_safe = |char: char| !char.is_control() && !matches!(char, '\u{2028}' | '\u{2029}');
    if text.chars().all(is_safe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if is_safe(char) { escaped.push(char) } else { escaped.extend(char.escape_default()) }
    }
    Cow::Owned(escaped)
}

/// Escapes the control characters that JSON allows in strings.
pub fn escape_controls_in_json(json: &str) -> Cow<'_, str> {
    if !json.contains(char::is_control) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for char in json.chars() {
        if char.is_control() {
            escaped += &format!("\\u{:04x}", u32::from(char));
        } else {
            escaped.push(char);
        }
    }
    Cow::Owned(escaped)
}

/// Returns the beginning of a text, sanitized and on one line.
pub fn preview(text: &str) -> String {
    let line: String = text.chars().take(MAX_PREVIEW).collect();
    let ellipsis = if line.len() < text.len() { "…" } else { "" };
    sanitize_for_terminal(&line.replace(['\n', '\r', '\t'], " ")).into_owned() + ellipsis
}

/// Returns Unicode's symbol for a control character, or the replacement character if it has none.
/// Only ASCII control characters have symbols.
fn symbol(control: char) -> char {
    let symbol = match control {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(control)),
        '\x7f' => Some('\u{2421}'),
        _ => None,
    };
    symbol.unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_control_characters_for_terminals() {
        let text = "\x1b[2Jä\tb\r\n\x7f\u{9b}31m";
        assert_eq!(Styling::Sanitized.plain(text), "␛[2Jä\tb␍\n␡\u{fffd}31m");
        assert_eq!(Styling::Raw.plain(text), text);
    }

    #[test]
    fn escapes_control_characters() {
        let text = "ä\\\"\t\r\n\0\x1b\x7f\u{9b}\u{2028}";
        assert_eq!(escape_controls(text), r#"ä\"\t\r\n\u{0}\u{1b}\u{7f}\u{9b}\u{2028}"#);
    }

    #[test]
    fn escapes_control_characters_in_json() {
        let json = r#"["\n\u0000ä", ""#.to_owned() + "\x7f\u{9b}\"]";
        assert_eq!(escape_controls_in_json(&json), r#"["\n\u0000ä", "\u007f\u009b"]"#);
    }

    #[test]
    fn preview_is_one_short_line() {
        assert_eq!(preview("a\r\n\x1bb"), "a  ␛b");
        assert_eq!(preview(&"ä".repeat(MAX_PREVIEW)), "ä".repeat(MAX_PREVIEW));
        assert_eq!(preview(&"ä".repeat(MAX_PREVIEW + 1)), "ä".repeat(MAX_PREVIEW) + "…");
    }
}
