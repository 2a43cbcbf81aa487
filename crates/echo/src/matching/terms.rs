//! The words of names, numbered.

use std::collections::BTreeMap;

use crate::text::{
    lexicon::{self, GENERIC_ENDS, NOUNS, contains, is_number, is_vague_verb, same_verbs},
    stem,
};

/// The number of a word that matters to the offered tools, or of its stem.
pub(super) type Term = usize;

/// The words that matter to the offered tools.
#[derive(Debug, Default)]
pub(super) struct Terms {
    /// The words by their first letters, which most words of a text do not have.
    starts: BTreeMap<Start, Words>,
    len: usize,
}

/// The first two bytes of a word as a number. Those of its stem are the same.
type Start = u16;

/// Words that start alike.
#[derive(Debug, Default)]
struct Words {
    words: BTreeMap<String, Term>,
    /// The terms that any inflection of a word is.
    stems: BTreeMap<String, Term>,
}

impl Terms {
    /// Returns the term of a canonical word.
    pub(super) fn word(&self, word: &str) -> Option<Term> {
        self.starts.get(&start(word))?.words.get(word).copied()
    }

    /// Returns the term that the inflections of a canonical word are.
    pub(super) fn stem(&self, word: &str) -> Option<Term> {
        self.starts.get(&start(word))?.stems.get(&*stem(word)).copied()
    }

    /// Returns the terms that a canonical word is.
    pub(super) fn of(&self, word: &str) -> impl Iterator<Item = Term> + use<> {
        let terms = self
            .starts
            .get(&start(word))
            .map(|same| [same.words.get(word).copied(), same.stems.get(&*stem(word)).copied()]);
        terms.into_iter().flatten().flatten()
    }

    /// Returns all words and stems with their terms.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, Term)> {
        let words = self.starts.values().flat_map(|same| same.words.iter().chain(&same.stems));
        words.map(|(word, term)| (word.as_str(), *term))
    }

    /// Returns the number of terms. They are counted from 0.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the term of a canonical word, which is added if necessary.
    pub(super) fn add_word(&mut self, word: String) -> Term {
        let same = self.starts.entry(start(&word)).or_default();
        add(&mut same.words, word, &mut self.len)
    }

    /// Returns the term of the inflections of a canonical word, which is added if necessary.
    pub(super) fn add_stem(&mut self, word: &str) -> Term {
        let same = self.starts.entry(start(word)).or_default();
        add(&mut same.stems, stem(word).into_owned(), &mut self.len)
    }

    /// Adds the verbs that ask for the same as a canonical verb as forms of its stem.
    pub(super) fn add_same_verbs(&mut self, verb: &str) {
        let Some(term) = self.stem(verb) else { return };
        for same in same_verbs(verb) {
            let stems = &mut self.starts.entry(start(same)).or_default().stems;
            stems.entry(stem(same).into_owned()).or_insert(term);
        }
    }
}

fn start(word: &str) -> Start {
    match *word.as_bytes() {
        [first, second, ..] => u16::from_be_bytes([first, second]),
        [first] => first.into(),
        [] => 0,
    }
}

fn add(words: &mut BTreeMap<String, Term>, word: String, len: &mut usize) -> Term {
    *words.entry(word).or_insert_with(|| {
        *len += 1;
        *len - 1
    })
}

/// Returns which words of a name do not indicate the purpose of the tool. A word such as "task" at an
/// end does if no other word of the name does.
pub(super) fn generic_words(name: &[String]) -> Vec<bool> {
    let is_end = |at: usize| at == 0 || at + 1 == name.len();
    let is_generic_end = |at: usize| is_end(at) && contains(GENERIC_ENDS, &name[at]);
    // A later "call" is a noun: `schedule_call`.
    let is_noun = |at: usize| at > 0 && name[at] == "call";
    let is_generic =
        |at: usize| lexicon::is_generic(&name[at]) && !is_noun(at) || is_generic_end(at);
    let generic: Vec<bool> = (0..name.len()).map(is_generic).collect();
    let is_telling = |at: usize| !generic[at] && !is_vague_verb(&name[at]);
    match (0..name.len()).any(is_telling) {
        true => generic,
        false => name.iter().map(|word| lexicon::is_generic(word)).collect(),
    }
}

/// Returns which words of a name are part of no topic: the [generic](generic_words) ones and, with a noun such
/// as "order" behind a generic verb, "status" and the like at the end.
pub(super) fn no_topic(name: &[String]) -> Vec<bool> {
    let mut generic = generic_words(name);
    if let [verb, noun, end] = name
        && lexicon::is_generic(verb)
        && contains(NOUNS, noun)
    {
        generic[2] |= contains(GENERIC_ENDS, end);
    }
    generic
}

/// Returns how many words of a name are a namespace that ends with a number, as in
/// `Hotels_2_SearchHouse`.
pub(super) fn namespace(name: &[String]) -> usize {
    (2..name.len()).rev().find(|end| is_number(&name[end - 1])).unwrap_or(0)
}

/// Returns the first word of a name that is no part of its [namespace].
pub(super) fn first_word(name: &[String]) -> Option<&String> {
    name.get(namespace(name))
}
