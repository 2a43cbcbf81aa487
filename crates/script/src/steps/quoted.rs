//! Quotes text in errors.

/// Quotes text from a client on one line. Truncates long text, because gRPC sends errors in
/// headers.
pub(crate) fn quoted(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
