//! Finds identifiers of lower-case words: "billing-service", "customers_db".

use std::ops::Range;

use memchr::memchr2;

use super::{
    lexicon::{
        CLAUSE_WORDS, COMPOUND_PARTS, CONNECTIVES, LIST_JOINTS, PHRASE_ENDS, PREPOSITIONS, contains,
    },
    word::Word,
};

/// Consecutive words, joined by hyphens or underscores.
pub(crate) struct Identifier {
    /// The indexes of the words.
    pub(crate) words: Range<usize>,
    /// Whether no noun follows, as it does in "the blue-green deployment".
    pub(crate) is_alone: bool,
}

/// Returns the identifiers among the words of a sentence, in order. `forms` are those of all words.
pub(super) fn identifiers(
    text: &str,
    sentence: &Range<usize>,
    words: &[Word],
    forms: &str,
) -> Vec<Identifier> {
    if memchr2(b'-', b'_', text[sentence.clone()].as_bytes()).is_none() {
        return Vec::new();
    }
    let is_joined = |word: &Word, next: &Word| {
        ["-", "_"].contains(&&text[word.range().end..next.range().start])
    };
    let mut start = 0;
    let chunks = words.chunk_by(is_joined).map(|chunk| {
        start += chunk.len();
        start - chunk.len()..start
    });
    chunks.filter_map(|at| identifier(text, words, forms, at)).collect()
}

/// Returns the identifier that joined words are, unless they are an ordinary compound.
fn identifier(text: &str, all: &[Word], forms: &str, at: Range<usize>) -> Option<Identifier> {
    let words = &all[at.clone()];
    let [first, .., last] = words else { return None };
    let [before, after] = [&text[..first.range().start], &text[last.range().end..]];
    let is_part = |word: &Word| {
        let written = &text[word.range()];
        word.range() == word.run()
            && !word.is_quoted
            && written.len() > 1
            && written.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || "-_/.@#$+".contains(c))
        && !after.starts_with(|c: char| c.is_alphanumeric() || "-_/@(=".contains(c));
    if !is_whole || !words.iter().all(is_part) {
        return None;
    }
    let has_underscore = text[first.range().start..last.range().end].contains('_');
    // "a follow-up", "it is high-priority", but not "Is web-front down?"
    let led = all[..at.start].split_last();
    let is_led = led.is_some_and(|(word, rest)| {
        let form = word.form(forms);
        contains("a an it as very", form)
            || contains("is are was were be", form) && !rest.is_empty()
    });
    let is_compound =
        || is_led || words.iter().any(|word| is_compound_part(&text[word.range()], word));
    if !has_underscore && is_compound() {
        return None;
    }
    let next = all.get(at.end);
    let is_alone = has_underscore || next.is_none_or(|next| !is_noun_after(text, last, next));
    Some(Identifier { words: at, is_alone })
}

fn is_compound_part(written: &str, word: &Word) -> bool {
    word.entry.cue.is_some()
        || word.entry.number.is_some()
        || [COMPOUND_PARTS, PREPOSITIONS, CONNECTIVES].iter().any(|list| contains(list, written))
}

/// Returns `true` if the next word may be the noun that a compound belongs to.
fn is_noun_after(text: &str, last: &Word, next: &Word) -> bool {
    let (gap, written) = (&text[last.range().end..next.range().start], &text[next.run()]);
    let ends = [PHRASE_ENDS, CLAUSE_WORDS, CONNECTIVES, LIST_JOINTS];
    gap == " "
        && next.entry.cue.is_none()
        && next.entry.number.is_none()
        && !written.contains(|c: char| c.is_ascii_digit())
        && !ends.iter().any(|list| contains(list, written))
}
