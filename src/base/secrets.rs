//! Recognizes secrets by the names of what holds them.

/// The ends of such names, in lower case and without separators.
const SECRET_NAMES: [&str; 11] = [
    "authorization",
    "apikey",
    "accesskey",
    "accountkey",
    "privatekey",
    "token",
    "secret",
    "password",
    "passwd",
    "cookie",
    "credentials",
];

/// Returns `true` if a header, key or variable with this name usually holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let is_separator = |c: char| matches!(c, '-' | '_' | '.' | ' ');
    let name = name.to_ascii_lowercase().replace(is_separator, "");
    SECRET_NAMES.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::is_secret_name;

    #[test]
    fn recognizes_names_of_secrets() {
        for name in ["Authorization", "dapr-api-token", "X-Api-Key", "apiKey", "DB_PASSWORD"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["model", "max_tokens", "key", "tokens", "secretary"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
