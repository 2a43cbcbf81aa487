//! Where the words of the offered tools, and arithmetic, stand in a sentence.

use std::ops::Range;

use super::{
    arithmetic::{ARITHMETIC, is_arithmetic},
    terms::{Term, Terms},
};
use crate::facts::FactType;
use crate::text::{
    Sentence, Word, canonical,
    lexicon::{
        ARTICLES, BEFORE_VERBS, CLAUSE_STARTS, LEFT_OUT, NOUNS, OFFERS, OPENINGS, PRONOUNS,
        QUESTIONS, SEARCHES, contains, list,
    },
};

/// The largest distance of words that are near each other.
const MAX_NEAR: usize = 16;
/// The maximum number of words that a sentence states something of.
const MAX_LABEL: usize = 8;
/// What may follow a number in a sentence.
const ENDS: [char; 6] = ['?', '!', ',', ';', ':', ')'];

/// Where the terms of the offered tools stand in a sentence. A position is the index of a word.
pub(super) struct Occurrences<'s> {
    text: &'s str,
    sentence: &'s Sentence,
    /// The occurrences, sorted by term.
    found: Vec<Occurrence>,
    /// The occurrences, sorted by position.
    in_order: Vec<Occurrence>,
    /// The position of the first word after an opening such as "please".
    pub(super) beginning: usize,
}

/// A word that says what the value behind it is.
pub(super) struct Label {
    /// The types of the value.
    pub(super) types: &'static [FactType],
    /// Whether the word and the value start a statement: "The boat SB-104 is back".
    pub(super) starts_statement: bool,
}

/// One or several consecutive words that are a term or arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Occurrence {
    pub(super) term: Term,
    pub(super) first: usize,
    pub(super) last: usize,
}

impl<'s> Occurrences<'s> {
    /// Finds the terms in a sentence of a text.
    pub(super) fn find(text: &'s str, sentence: &'s Sentence, terms: &Terms) -> Self {
        let words = &sentence.words;
        let mut found = Vec::new();
        let mut run_first = 0;
        for (word, at) in words.iter().zip(0..) {
            let form = sentence.form(word);
            let is_capitalized = at > 0 && text[word.range()].starts_with(char::is_uppercase);
            // "Alice Moore" does not say `mooring`.
            let may_be_inflected = !is_capitalized || terms.word(form).is_some();
            let same = terms.of(form).filter(|_| may_be_inflected);
            found.extend(same.map(|term| Occurrence { term, first: at, last: at }));
            if word.starts_run() {
                run_first = at;
            }
            if word.range() != word.run() {
                let term = run_term(text, word, terms);
                found.extend(term.map(|term| Occurrence { term, first: run_first, last: at }));
            }
        }
        found.retain(|word| !is_left_out(text, words, word.first));
        if let Some(term) = terms.word(ARITHMETIC) {
            found.extend(arithmetic(text, sentence, term));
        }
        found.sort_unstable();
        let mut in_order = found.clone();
        in_order.sort_by_key(|occurrence| occurrence.first);
        let beginning = find_beginning(text, words);
        Self { text, sentence, found, in_order, beginning }
    }

    /// Returns the words of the sentence.
    pub(super) fn words(&self) -> &'s [Word] {
        &self.sentence.words
    }

    /// Returns the distinct terms in the sentence.
    pub(super) fn terms(&self) -> impl Iterator<Item = Term> {
        self.found.chunk_by(|one, next| one.term == next.term).map(|same| same[0].term)
    }

    /// Returns the occurrences of a term, in order.
    pub(super) fn of(&self, term: Term) -> &[Occurrence] {
        let start = self.found.partition_point(|occurrence| occurrence.term < term);
        let length = self.found[start..].partition_point(|it| it.term == term);
        &self.found[start..start + length]
    }

    /// Returns the occurrences in a range of positions that are neither quoted nor negated.
    pub(super) fn in_words(
        &self,
        range: &Range<usize>,
    ) -> impl Iterator<Item = &Occurrence> + Clone {
        let [start, end] = [range.start, range.end]
            .map(|position| self.in_order.partition_point(|it| it.first < position));
        self.in_order[start..end].iter().filter(|it| self.words()[it.first].is_said())
    }

    /// Returns the shortest occurrence of a term that starts at a position.
    pub(super) fn at(&self, term: Term, first: usize) -> Option<Occurrence> {
        let words = self.of(term);
        let next = words.partition_point(|it| it.first < first);
        words.get(next).filter(|it| it.first == first).copied()
    }

    /// Returns the bytes of the part of the sentence, which is the `range` of its text, for a mention
    /// at the position `at`. The mentions `starts`, sorted, divide the sentence.
    pub(super) fn clause(&self, starts: &[usize], at: usize, range: &Range<usize>) -> Range<usize> {
        let byte = |position: &usize| self.words()[*position].range().start;
        // "Attach the file, then find a large hall": "large" is said of the hall.
        let start = |start: usize| {
            let before = starts[..starts.partition_point(|it| *it < start)].last();
            let mut words = (before.map_or(0, |it| it + 1)..=start).rev();
            words.find(|at| contains(CLAUSE_STARTS, self.form(*at))).unwrap_or(start)
        };
        let is_first = starts.first().is_none_or(|first| *first == at);
        let next = starts.get(starts.partition_point(|start| *start <= at));
        let from = if is_first { range.start } else { byte(&start(at)) };
        from..next.map_or(range.end, |next| byte(&start(*next)))
    }

    /// Returns what a word says if a value follows it: "boat SB-104", "the boat 'Albatross'".
    pub(super) fn label(&self, at: usize) -> Option<Label> {
        let start = self.words()[at].range().end;
        let rest = &self.text[start..];
        let token =
            rest.starts_with(char::is_whitespace).then(|| rest.split_whitespace().next())??;
        let is_digit = |byte: u8| byte.is_ascii_digit();
        let is_number =
            || token.trim_end_matches(ENDS).bytes().all(|byte| is_digit(byte) || byte == b'.');
        let quoted = self.words()[at + 1..].iter().take_while(|next| next.is_quoted).count();
        let types: &[FactType] = match quoted {
            0 if !token.bytes().any(is_digit) => return None,
            0 if is_number() => &[FactType::Code, FactType::Number],
            0 => &[FactType::Code],
            _ => &[FactType::Quote],
        };
        let end = start + rest.find(token).unwrap_or(0) + token.len();
        let next = self.sentence.word_from(end).max(at + 1 + quoted);
        let has_more = next < self.words().len() && !self.sentence.starts_clause(self.text, next);
        Some(Label { types, starts_statement: has_more && self.is_subject(at) })
    }

    /// Returns the words before "is" if the sentence states something of them: "The owner's name is Ada".
    pub(super) fn stated_label(&self) -> Option<Range<usize>> {
        let end = (0..self.words().len().min(MAX_LABEL)).find(|at| self.form(*at) == "is")?;
        (end > 0).then_some(0..end)
    }

    /// Returns the canonical form of a word.
    pub(super) fn form(&self, at: usize) -> &'s str {
        self.sentence.form(&self.words()[at])
    }

    /// Returns `true` if some words are what the sentence tells of: "Thanks, the concert was good".
    pub(super) fn is_told(&self, [first, last]: [usize; 2]) -> bool {
        let is_question = self.text[self.sentence.range.clone()].trim_end().ends_with('?');
        let mut after = (last + 1..self.words().len())
            .take_while(|at| !self.sentence.starts_clause(self.text, *at));
        !is_question
            && self.is_subject(first)
            && after.any(|at| contains("was were went", &self.text[self.words()[at].range()]))
    }

    /// Returns `true` for a word such as "order" unless it is a noun in a question: "Where is my order?"
    pub(super) fn is_verb(&self, at: usize) -> bool {
        let form = self.form(at);
        let before = at.checked_sub(1).map_or("", |before| self.form(before));
        let is_noun =
            contains(NOUNS, form) && self.is_question() && !contains(BEFORE_VERBS, before);
        list(NOUNS).any(|noun| form.starts_with(noun)) && !is_noun
    }

    /// Returns `true` for the second of two words if it may say what has been done to the first: "Which orders
    /// were created in May?"
    pub(super) fn is_done(&self, noun: usize, verb: usize) -> bool {
        noun < verb && self.form(verb).ends_with("ed")
    }

    /// Returns `true` if the sentence starts as a question or a search does.
    pub(super) fn is_question(&self) -> bool {
        let start = self.words().get(self.beginning).map_or("", |word| self.sentence.form(word));
        [QUESTIONS, SEARCHES, OFFERS].iter().any(|list| contains(list, start))
    }

    /// Returns `true` if nothing but articles stands before a word in its clause.
    fn is_subject(&self, at: usize) -> bool {
        let starts = |at: usize| at == 0 || self.sentence.starts_clause(self.text, at);
        let mut before =
            (0..=at).rev().take_while(|it| *it == at || contains(ARTICLES, self.form(*it)));
        before.any(starts)
    }

    /// Returns `true` if a pronoun stands near behind a word.
    pub(super) fn has_pronoun(&self, at: usize) -> bool {
        let mut after =
            self.words()[at..].iter().take(MAX_NEAR).map(|word| self.sentence.form(word));
        after.any(|form| contains(PRONOUNS, form))
    }

    /// Returns `true` if two words are near each other in a clause.
    pub(super) fn are_near(&self, first: usize, second: usize) -> bool {
        let (first, second) = (first.min(second), first.max(second));
        second - first <= MAX_NEAR
            && !(first + 1..=second).any(|at| self.sentence.starts_clause(self.text, at))
    }

    /// Returns the bytes from one position to another.
    pub(super) fn bytes(&self, [first, last]: [usize; 2]) -> Range<usize> {
        self.words()[first].range().start..self.words()[last].range().end
    }
}

/// Returns the term that a run is, if a word ends it. A run may end in a plural s that is part of no
/// word.
fn run_term(text: &str, word: &Word, terms: &Terms) -> Option<Term> {
    let run = word.run();
    if !["", "s"].contains(&&text[word.range().end..run.end]) {
        return None;
    }
    terms.word(&canonical(&text[run]))
}

/// Returns the pairs of words that form arithmetic.
fn arithmetic(text: &str, sentence: &Sentence, term: Term) -> Vec<Occurrence> {
    let is_arithmetic = |pair: &[Word]| {
        let separator = &text[pair[0].range().end..pair[1].range().start];
        is_arithmetic(sentence.form(&pair[0]), separator, sentence.form(&pair[1]))
    };
    let found = sentence.words.windows(2).zip(0..).filter(|(pair, _)| is_arithmetic(pair));
    found.map(|(_, first)| Occurrence { term, first, last: first + 1 }).collect()
}

/// Returns `true` if a word is part of an expression whose words do not mention tools.
fn is_left_out(text: &str, words: &[Word], at: usize) -> bool {
    let word = &text[words[at].range()];
    LEFT_OUT.iter().any(|expression| {
        let mut same = expression.iter().zip(0..).filter(|(it, _)| it.eq_ignore_ascii_case(word));
        same.any(|(_, before)| at >= before && has_words(text, &words[at - before..], expression))
    })
}

/// Returns the position of the first word after the openings of a sentence.
pub(super) fn find_beginning(text: &str, words: &[Word]) -> usize {
    let mut at = 0;
    let opening = |at: usize| {
        // Most words start none.
        words.get(at).filter(|word| word.run_entry.starts_opening)?;
        OPENINGS.iter().find(|opening| has_words(text, &words[at..], opening))
    };
    while let Some(opening) = opening(at) {
        at += opening.len();
    }
    at
}

/// Returns `true` if some words start with those of an expression.
fn has_words(text: &str, words: &[Word], expression: &[&str]) -> bool {
    let mut words = words.iter().map(|word| &text[word.range()]);
    let is_next = |expected: &&str| {
        let mut choices = expected.split(' ');
        words.next().is_some_and(|it| choices.any(|choice| it.eq_ignore_ascii_case(choice)))
    };
    expression.iter().all(is_next)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ARITHMETIC, Occurrence, Occurrences, Sentence};
    use crate::matching::index::ToolIndex;

    fn read<T>(text: &str, get: impl Fn(&Occurrences) -> T) -> T {
        let index = ToolIndex::of_names(&["calculate", "time", "order"]);
        let sentence = Sentence::read(text, 0..text.len(), &[]);
        get(&Occurrences::find(text, &sentence, &index.terms))
    }

    fn arithmetic(text: &str) -> Vec<Occurrence> {
        let index = ToolIndex::of_names(&["calculate", "time", "order"]);
        let term = index.terms.word(ARITHMETIC).unwrap();
        read(text, |it| it.of(term).to_vec())
    }

    #[test]
    fn finds_arithmetic() {
        let cases: [(&str, &[usize]); 10] = [
            ("10+5", &[0]),
            ("what is 2 ^ 10", &[2]),
            ("1*2", &[0]),
            ("9 - 4", &[0]),
            ("8 / 2km", &[0]),
            ("1+2+3", &[0, 1]),
            ("please add 5", &[1]),
            ("Multiply $3", &[0]),
            ("he divides 3", &[1]),
            ("3.5 + 2", &[1]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = arithmetic(text).iter().map(|pair| pair.first).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn ignores_other_numbers() {
        for text in
            ["+1-555-0100", "2024-01-15", "1/2", "10 +5", "1 -2", "c+5", "add salt", "1, 2", "2**3"]
        {
            assert!(arithmetic(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn expressions_are_left_out() {
        let cases =
            [("In order to be on time", 0), ("the order in the time", 2), ("at the same time", 0)];
        for (text, expected) in cases {
            let words = |it: &Occurrences| {
                let words: BTreeSet<_> = it.found.iter().map(|it| it.first).collect();
                words.len()
            };
            assert_eq!(read(text, words), expected, "{text}");
        }
    }

    #[test]
    fn sentences_begin_after_openings() {
        let cases = [
            ("please go", 1),
            ("Could you please go", 3),
            ("I'd like to go", 4),
            ("let's go", 2),
            ("go please", 0),
            ("can", 0),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text, |it| it.beginning), expected, "{text}");
        }
    }
}
