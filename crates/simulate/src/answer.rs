//! Reads the answers of models that were asked for a word or for JSON.

use serde_json::Value;

const FENCE: &str = "```";

/// Returns `true` if an answer is a word, apart from case, white space, quotes, a final stop and a
/// code fence around it. The word is the whole answer, or the text under `key` in a JSON object.
pub(super) fn is_word(answer: &str, key: &str, word: &str) -> bool {
    plain(&text_of(answer, key)) == plain(word)
}

/// Returns the JSON in an answer: the content of its only code fence, or the whole answer.
pub(super) fn json(answer: &str) -> &str {
    let mut parts = answer.split(FENCE);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(fenced), Some(_), None) => without_language(fenced),
        _ => answer,
    }
}

/// Returns the text under a key if the answer is a JSON object, otherwise the answer.
fn text_of(answer: &str, key: &str) -> String {
    let object = serde_json::from_str::<Value>(json(answer)).ok();
    let text = object.as_ref().and_then(|object| match object.get(key)? {
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    text.unwrap_or_else(|| answer.to_owned())
}

/// Returns a word in lower case, without what models put around words.
pub(super) fn plain(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let rest = fenced(text).unwrap_or(text).trim_matches(is_around);
        let rest = rest.strip_suffix(['.', '。']).unwrap_or(rest);
        if rest == text {
            return text.to_lowercase();
        }
        text = rest;
    }
}

fn is_around(c: char) -> bool {
    c.is_whitespace() || "\"'`“”„‘’«»".contains(c)
}

/// Returns the content of a code fence that is the whole text.
fn fenced(text: &str) -> Option<&str> {
    text.strip_prefix(FENCE)?.strip_suffix(FENCE).map(without_language)
}

/// Removes the name of the language after the start of a code fence.
fn without_language(fenced: &str) -> &str {
    match fenced.split_once('\n') {
        Some((language, rest)) if language.trim().chars().all(char::is_alphanumeric) => rest,
        _ => fenced,
    }
}
