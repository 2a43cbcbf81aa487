//! Finds texts and requests that may contain secrets, so that the others need not be decoded.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::base::secrets::{is_separator, last_words};

/// What a secret looks like.
const VALUES: [&str; 2] = ["bearer", "sk-"];
/// JSON may escape parts of secrets and of names.
const ESCAPES: [&str; 2] = ["\\u", "\\/"];
/// A request with more possible names than this is decoded without a look at each.
const MAX_NAMES: usize = 32;
/// Maximum length in bytes of a name in protobuf.
const MAX_NAME: usize = 1024;
/// The tag of the key in an entry of a protobuf map.
const MAP_KEY: u8 = 0x0a;

/// Finds what may be, or may follow the name of, a secret.
#[derive(Debug)]
pub(super) struct Markers {
    /// Finds secrets.
    values: AhoCorasick,
    /// Finds secrets, and the last words of their names.
    all: AhoCorasick,
    /// The number of the first patterns of `all`, which are the words.
    words: usize,
}

/// What a request may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// No secrets.
    Nothing,
    /// The words of names. None of them is a name if the request is well-formed.
    Words,
    /// Secrets.
    Secrets,
}

impl Markers {
    /// Creates the markers of known secrets and of all others.
    #[expect(clippy::expect_used, reason = "fails only for patterns of gigabytes")]
    pub(super) fn new(known: &[&str]) -> Self {
        let automaton = |patterns: &[&str]| {
            let is_small = patterns.iter().map(|it| it.len()).sum::<usize>() < 4096;
            let mut builder = AhoCorasick::builder();
            let builder = builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
            let builder = builder.kind(is_small.then_some(AhoCorasickKind::DFA));
            builder.build(patterns).expect("small patterns")
        };
        let words: Vec<_> = last_words().collect();
        let values = [&VALUES[..], known].concat();
        let all = [&words[..], &ESCAPES, &values].concat();
        Self { values: automaton(&values), all: automaton(&all), words: words.len() }
    }

    /// Returns `true` if a text may contain a secret.
    pub(super) fn are_in_text(&self, text: &[u8]) -> bool {
        self.values.is_match(text)
    }

    /// Returns what a request in JSON may contain.
    pub(super) fn in_json(&self, body: &[u8]) -> Found {
        self.search(body, |end| ends_json_key(&body[end..]))
    }

    /// Returns what a request in protobuf may contain.
    pub(super) fn in_protobuf(&self, body: &[u8]) -> Found {
        self.search(body, |end| ends_map_key(body, end) || ends_json_key(&body[end..]))
    }

    fn search(&self, body: &[u8], is_name: impl Fn(usize) -> bool) -> Found {
        if !self.all.is_match(body) {
            return Found::Nothing;
        }
        // Overlapping, because "secretoken" ends with a word, too.
        for (count, found) in self.all.find_overlapping_iter(body).enumerate() {
            let is_word = found.pattern().as_usize() < self.words;
            if !is_word || count >= MAX_NAMES || is_name(found.end()) {
                return Found::Secrets;
            }
        }
        Found::Words
    }
}

/// Returns the position after the separators that follow a name.
fn after_separators(body: &[u8], end: usize) -> usize {
    let separators = body[end..].iter().take_while(|byte| is_separator(**byte));
    end + separators.count()
}

/// Returns `true` if the rest of a body starts with the end of a key. In JSON within a text, quotes and
/// line breaks are escaped.
fn ends_json_key(rest: &[u8]) -> bool {
    let rest = without_backslashes(&rest[after_separators(rest, 0)..]);
    let Some((b'"', mut rest)) = rest.split_first() else { return false };
    loop {
        rest = rest.trim_ascii_start();
        match without_backslashes(rest) {
            [b':', ..] => return true,
            [b'n' | b'r' | b't', after @ ..] if rest.starts_with(b"\\") => rest = after,
            _ => return false,
        }
    }
}

fn without_backslashes(rest: &[u8]) -> &[u8] {
    let backslashes = rest.iter().take_while(|byte| **byte == b'\\').count();
    &rest[backslashes..]
}

/// Returns `true` if the key of a map ends here, or after separators.
fn ends_map_key(body: &[u8], end: usize) -> bool {
    let last = after_separators(body, end);
    let is_key = |start: usize| {
        let ends = |length: usize| (end..=last).contains(&(start + length));
        match body[..start] {
            [.., MAP_KEY, length] if length < 0x80 => ends(usize::from(length)),
            [.., MAP_KEY, low, high] if low >= 0x80 => {
                ends(usize::from(low & 0x7f) | (usize::from(high) << 7))
            }
            _ => false,
        }
    };
    (end.saturating_sub(MAX_NAME)..end).rev().any(is_key)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use prost::Message;
    use serde_json::json;

    use super::*;
    use crate::{base::secrets::is_secret_name, wire::proto::ConversationRequestAlpha2};

    /// A name that ends like that of a secret. It may have escapes in JSON.
    fn name() -> impl Strategy<Value = String> {
        let words: Vec<_> = last_words().collect();
        let parts = ("[a-zA-Z0-9é\"\\\\_ -]{0,160}", "(|api|Access|SECRET)[-_. ]?", "[-_. ]{0,3}");
        (parts, proptest::sample::select(words), any::<bool>()).prop_map(
            |((start, before, end), word, is_upper)| {
                let word = if is_upper { word.to_ascii_uppercase() } else { word.to_owned() };
                format!("{start}{before}{word}{end}")
            },
        )
    }

    proptest! {
        #[test]
        fn find_every_secret_name(name in name(), value in "[a-z]{1,200}") {
            prop_assume!(is_secret_name(&name));
            let markers = Markers::new(&[]);
            let body = json!({"metadata": {&name: value}});
            prop_assert_eq!(markers.in_json(body.to_string().as_bytes()), Found::Secrets);
            let pretty = serde_json::to_string_pretty(&body).unwrap().replace("\":", "\" \n:");
            prop_assert_eq!(markers.in_json(pretty.as_bytes()), Found::Secrets);
            let mut message = ConversationRequestAlpha2::default();
            message.metadata.insert(name, value);
            prop_assert_eq!(markers.in_protobuf(&message.encode_to_vec()), Found::Secrets);
        }
    }

    #[test]
    fn find_names_in_json_in_texts() {
        let markers = Markers::new(&[]);
        for text in [r#"{"api_key": "x"}"#, r#"{"token" : "x"}"#, "{\"token\"\n\t:\"x\"}"] {
            let within = json!({"inner": text}).to_string();
            for text in [text, &within] {
                let body = json!({"content": text}).to_string();
                assert_eq!(markers.in_json(body.as_bytes()), Found::Secrets, "{body}");
                let context_id = Some(text.to_owned());
                let message = ConversationRequestAlpha2 { context_id, ..Default::default() };
                assert_eq!(markers.in_protobuf(&message.encode_to_vec()), Found::Secrets, "{text}");
            }
        }
    }

    #[test]
    fn do_not_suspect_words_in_texts() {
        let markers = Markers::new(&[]);
        let texts = ["the key of a token", "a password", "secretary", "\"token\", he said"];
        for text in texts {
            let body = json!({"messages": [{"content": text}], "max_tokens": 5}).to_string();
            assert_eq!(markers.in_json(body.as_bytes()), Found::Words, "{text}");
            let context_id = Some(text.to_owned());
            let message = ConversationRequestAlpha2 { context_id, ..Default::default() };
            assert_eq!(markers.in_protobuf(&message.encode_to_vec()), Found::Words, "{text}");
        }
        assert_eq!(markers.in_json(br#"{"messages": []}"#), Found::Nothing);
    }
}
