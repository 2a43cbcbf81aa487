//! Recognizes secrets by the names of what holds them.

/// The text that replaces a secret.
pub const REDACTED: &str = "[redacted]";

/// The last words of such names, in lower case, each with the words of which one must precede it.
/// Words may be joined by separators.
const SECRET_NAMES: [(&str, &[&str]); 9] = [
    ("authorization", &[""]),
    ("key", &["api", "access", "account", "private", "secret", "subscription"]),
    ("token", &[""]),
    ("secret", &[""]),
    ("password", &[""]),
    ("passwd", &[""]),
    ("cookie", &[""]),
    ("credential", &[""]),
    ("credentials", &[""]),
];

/// What separates the words of a name.
const SEPARATORS: [char; 4] = ['-', '_', '.', ' '];

/// Returns `true` if a header, key or variable with this name usually holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.trim_end_matches(SEPARATORS);
    SECRET_NAMES.iter().any(|(word, before)| {
        without_end(name, word).is_some_and(|rest| {
            let rest = rest.trim_end_matches(SEPARATORS);
            before.iter().any(|word| without_end(rest, word).is_some())
        })
    })
}

/// Returns the last words of such names.
pub fn last_words() -> impl Iterator<Item = &'static str> {
    SECRET_NAMES.iter().map(|(word, _)| *word)
}

/// Returns a text without this end in any case.
fn without_end<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    let (rest, last) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    last.eq_ignore_ascii_case(end).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::is_secret_name;

    #[test]
    fn recognizes_names_of_secrets() {
        for name in [
            "Authorization",
            "dapr-api-token",
            "X-Api-Key",
            "apiKey",
            "api key",
            "DB_PASSWORD",
            "secretKey",
            "Credential",
            "token_",
            "ключ-token",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["model", "max_tokens", "key", "monkey", "tokens", "secretary", "ключ", ""]
        {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
