//! The words of a sentence, as far as they matter to the offered tools.

use std::ops::Range;

use super::{
    arithmetic::Operand,
    index::{Term, ToolIndex, to_u32},
    work_budget::{Exhausted, WorkBudget},
};
use crate::text::{Word, addresses, canonicalize, passes_on_negation, words};

/// Expressions whose words do not mention tools.
const LEFT_OUT: [&str; 4] = ["in order to", "on time", "in time", "at the same time"];
/// Words before the verb of a request.
const OPENINGS: [&str; 13] = [
    "please",
    "can you",
    "could you",
    "would you",
    "i want to",
    "i need to",
    "i want you to",
    "i need you to",
    "we want to",
    "we need to",
    "i would like to",
    "i d like to",
    "let s",
];

/// A sentence. A position is the index of a word in `words`.
#[derive(Debug, Default)]
pub(super) struct Sentence {
    pub(super) words: Vec<SentenceWord>,
    /// Where the terms of the offered tools occur, sorted by term.
    occurrences: Vec<Occurrence>,
    /// The pairs of words that form arithmetic, such as "add 5".
    pub(super) arithmetic: Vec<Occurrence>,
    /// The position of the first word after an opening such as "please".
    pub(super) beginning: u32,
    operand: Operand,
    /// The position of the first word in the run of the last word.
    run_first: u32,
    form: String,
}

#[derive(Debug)]
pub(super) struct SentenceWord {
    range: Range<usize>,
    pub(super) is_quoted: bool,
    /// Whether the next word is negated, unless punctuation separates it.
    negates: bool,
    /// Whether a match that starts with this word is negated.
    pub(super) is_negated: bool,
}

/// One or several consecutive words that are a term or arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Occurrence {
    term: Term,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Sentence {
    /// Replaces the content with the sentence in the `range` of a text.
    pub(super) fn read(
        &mut self,
        text: &str,
        range: Range<usize>,
        quotes: &[Range<usize>],
        index: &ToolIndex,
        budget: &mut WorkBudget,
    ) -> Result<(), Exhausted> {
        self.clear();
        let (text, start) = (&text[range.clone()], range.start);
        let addresses = addresses(text);
        let mut addresses = addresses.iter().map(|address| &address.range).peekable();
        let mut quotes = quotes[quotes.partition_point(|quote| quote.end <= start)..].iter();
        let mut quote = quotes.next();
        for word in words(text) {
            budget.spend(1)?;
            while addresses.next_if(|address| address.end <= word.range.start).is_some() {}
            if addresses.peek().is_some_and(|address| address.start < word.range.end) {
                continue;
            }
            let at = start + word.range.start;
            while quote.is_some_and(|quote| quote.end <= at) {
                quote = quotes.next();
            }
            self.push(text, &word, quote.is_some_and(|quote| quote.start <= at), index);
        }
        let words = &self.words;
        self.occurrences.retain(|word| !is_left_out(text, words, word.first as usize));
        self.occurrences.sort_unstable();
        self.beginning = find_beginning(text, words);
        Ok(())
    }

    /// Returns the distinct terms in the sentence.
    pub(super) fn terms(&self) -> impl Iterator<Item = Term> {
        self.occurrences.chunk_by(|one, next| one.term == next.term).map(|same| same[0].term)
    }

    /// Returns the occurrences of a term, in order.
    pub(super) fn occurrences(&self, term: Term) -> &[Occurrence] {
        let start = self.occurrences.partition_point(|occurrence| occurrence.term < term);
        let length = self.occurrences[start..].partition_point(|it| it.term == term);
        &self.occurrences[start..start + length]
    }

    /// Returns the shortest occurrence of a term that starts at a position.
    pub(super) fn occurrence_at(&self, term: Term, first: u32) -> Option<Occurrence> {
        let key = |occurrence: &Occurrence| (occurrence.term, occurrence.first);
        let found = self.occurrences.partition_point(|occurrence| key(occurrence) < (term, first));
        self.occurrences.get(found).filter(|it| key(it) == (term, first)).copied()
    }

    /// Returns the bytes of the part of the sentence, which is the `range` of its text, for a mention
    /// at the position `at`. The mentions `starts`, sorted, divide the sentence.
    pub(super) fn clause(&self, starts: &[u32], at: u32, range: &Range<usize>) -> Range<usize> {
        let byte = |position: &u32| range.start + self.words[*position as usize].range.start;
        let is_first = starts.first().is_none_or(|first| *first == at);
        let next = starts.get(starts.partition_point(|start| *start <= at));
        let start = if is_first { range.start } else { byte(&at) };
        start..next.map_or(range.end, byte)
    }

    fn clear(&mut self) {
        self.words.clear();
        self.occurrences.clear();
        self.arithmetic.clear();
        self.operand = Operand::None;
    }

    fn push(&mut self, text: &str, word: &Word, is_quoted: bool, index: &ToolIndex) {
        let separator_start = self.words.last().map_or(word.range.start, |last| last.range.end);
        let separator = &text[separator_start..word.range.start];
        self.form.clear();
        canonicalize(&text[word.range.clone()], &mut self.form);
        let is_negated = self.words.last().is_some_and(|last| last.negates)
            && !separator.contains([',', ':', ';']);
        self.words.push(SentenceWord {
            range: word.range.clone(),
            is_quoted,
            negates: self.is_negation(text, separator)
                || is_negated && passes_on_negation(&self.form),
            is_negated,
        });
        let last = self.last();
        if !index.arithmetic_tools.is_empty() && self.operand.ends_arithmetic(&self.form, separator)
        {
            self.arithmetic.push(Occurrence { term: Term::MAX, first: last - 1, last });
        }
        self.add_occurrences(text, word, index);
    }

    /// Returns the position of the last word.
    fn last(&self) -> u32 {
        to_u32(self.words.len() - 1)
    }

    /// Returns `true` if the word in `self.form`, which is the next word, is a negation.
    fn is_negation(&self, text: &str, separator: &str) -> bool {
        let previous = self.words.last().map_or("", |last| &text[last.range.clone()]);
        match self.form.as_str() {
            "not" => !previous.eq_ignore_ascii_case("why"),
            "never" | "without" | "no" => true,
            // "don't"
            "t" => ["'", "\u{2019}"].contains(&separator) && previous.ends_with(['n', 'N']),
            _ => false,
        }
    }

    /// Adds the terms that the last word is or ends.
    fn add_occurrences(&mut self, text: &str, word: &Word, index: &ToolIndex) {
        let last = self.last();
        let occurrence = |term, first| Occurrence { term, first, last };
        self.occurrences.extend(index.term(&self.form).map(|term| occurrence(term, last)));
        if word.range == word.run {
            return;
        }
        if word.range.start == word.run.start {
            self.run_first = last;
        }
        // A run may end in a plural s that is part of no word.
        if ["", "s"].contains(&&text[word.range.end..word.run.end]) {
            self.form.clear();
            canonicalize(&text[word.run.clone()], &mut self.form);
            let term = index.term(&self.form);
            self.occurrences.extend(term.map(|term| occurrence(term, self.run_first)));
        }
    }
}

/// Returns `true` if a word is part of an expression whose words do not mention tools.
fn is_left_out(text: &str, words: &[SentenceWord], at: usize) -> bool {
    let word = &text[words[at].range.clone()];
    LEFT_OUT.iter().any(|expression| {
        let mut same =
            expression.split(' ').zip(0..).filter(|(it, _)| it.eq_ignore_ascii_case(word));
        same.any(|(_, before)| at >= before && has_words(text, &words[at - before..], expression))
    })
}

/// Returns the position of the first word after the openings of a sentence.
fn find_beginning(text: &str, words: &[SentenceWord]) -> u32 {
    let mut at = 0;
    let opening = |at| OPENINGS.iter().find(|opening| has_words(text, &words[at..], opening));
    while let Some(opening) = opening(at) {
        at += opening.split(' ').count();
    }
    to_u32(at)
}

/// Returns `true` if some words start with those of an expression.
fn has_words(text: &str, words: &[SentenceWord], expression: &str) -> bool {
    let mut words = words.iter().map(|word| &text[word.range.clone()]);
    let is_next = |expected| words.next().is_some_and(|it| it.eq_ignore_ascii_case(expected));
    expression.split(' ').all(is_next)
}

#[cfg(test)]
mod tests {
    use super::{Sentence, ToolIndex, WorkBudget};
    use crate::effort::Effort;

    fn read(text: &str) -> Sentence {
        let index = ToolIndex::new(["calculate", "time", "order"].into_iter());
        let mut sentence = Sentence::default();
        let mut budget = WorkBudget::for_one_call(&Effort::full());
        sentence.read(text, 0..text.len(), &[], &index, &mut budget).unwrap();
        sentence
    }

    #[test]
    fn finds_arithmetic() {
        let cases: [(&str, &[u32]); 10] = [
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
            let found: Vec<_> = read(text).arithmetic.iter().map(|pair| pair.first).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn ignores_other_numbers() {
        for text in
            ["+1-555-0100", "2024-01-15", "1/2", "10 +5", "1 -2", "c+5", "add salt", "1, 2", "2**3"]
        {
            assert!(read(text).arithmetic.is_empty(), "{text}");
        }
    }

    #[test]
    fn negations_reach_the_next_word_that_is_not_generic() {
        let cases: [(&str, &[&str]); 8] = [
            ("do not get the mail now", &["get", "the", "mail"]),
            ("don't send", &["send"]),
            ("I haven\u{2019}t the time", &["the", "time"]),
            ("cart t mail", &[]),
            ("no, send; never: mail", &[]),
            ("don't forget to send", &["forget"]),
            ("why not send it", &[]),
            ("without mail", &["mail"]),
        ];
        for (text, expected) in cases {
            let sentence = read(text);
            let negated = sentence.words.iter().filter(|word| word.is_negated);
            let negated: Vec<_> = negated.map(|word| &text[word.range.clone()]).collect();
            assert_eq!(negated, expected, "{text}");
        }
    }

    #[test]
    fn expressions_are_left_out() {
        let cases =
            [("In order to be on time", 0), ("the order in the time", 2), ("at the same time", 0)];
        for (text, expected) in cases {
            assert_eq!(read(text).terms().count(), expected, "{text}");
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
            assert_eq!(read(text).beginning, expected, "{text}");
        }
    }
}
