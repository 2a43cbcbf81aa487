//! The words of a sentence, read once for all that is looked for in it.

use std::ops::Range;

use memchr::memmem::Finder;

use super::{
    addresses::{Address, addresses},
    canonical::{canonical, canonicalize, stem},
    identifiers::{Identifier, identifiers},
    lexicon::{
        AUXILIARIES, CLAUSE_STARTS, ENCOURAGEMENTS, Entry, FILLERS, NEGATIONS, NONE, PRONOUNS,
        contains, is_generic, passes_on_negation,
    },
    word::Word,
    words::{WordRange, words},
};

/// Punctuation that separates a fact from the words next to it.
const BREAKS: [char; 6] = [',', ';', '(', ')', '—', '|'];
/// The usual number of bytes from one word to the next.
const WORD_LEN: usize = 5;
/// Maximum number of words between a fact and the word that it belongs to.
const MAX_FILLERS: usize = 4;

/// A sentence. All ranges are those of bytes in the text that it is part of.
pub(crate) struct Sentence {
    pub(crate) range: Range<usize>,
    /// The words outside of addresses.
    pub(crate) words: Vec<Word>,
    pub(crate) addresses: Vec<Address>,
    pub(crate) identifiers: Vec<Identifier>,
    /// The canonical forms of the words.
    forms: String,
    /// Whether a run of letters and digits has several words.
    has_split_runs: bool,
}

impl Sentence {
    /// Reads the sentence in the `range` of a text. `quotes` are the quotes of the text.
    pub(crate) fn read(text: &str, range: Range<usize>, quotes: &[Range<usize>]) -> Self {
        let part = &text[range.clone()];
        let mut addresses = addresses(part);
        addresses.iter_mut().for_each(|it| it.range = shifted(&it.range, range.start));
        let words = Vec::with_capacity(part.len() / WORD_LEN);
        let forms = String::with_capacity(part.len());
        let has_split_runs = false;
        let mut sentence =
            Self { range, words, addresses, identifiers: Vec::new(), forms, has_split_runs };
        sentence.read_words(text, quotes);
        sentence.has_split_runs = sentence.words.iter().any(|word| word.range != word.run);
        sentence.identifiers = identifiers(text, &sentence.range, &sentence.words, &sentence.forms);
        for identifier in sentence.identifiers.iter().filter(|it| it.is_alone) {
            let parts = &mut sentence.words[identifier.words.clone()];
            parts.iter_mut().for_each(|part| part.is_part = true);
        }
        sentence
    }

    fn read_words(&mut self, text: &str, quotes: &[Range<usize>]) {
        let start = self.range.start;
        for word in words(&text[self.range.clone()]) {
            let (range, run) = (shifted(&word.range, start), shifted(&word.run, start));
            let address = self.addresses.partition_point(|it| it.range.end <= range.start);
            if self.addresses.get(address).is_some_and(|it| it.range.start < range.end) {
                continue;
            }
            let quote = quotes.partition_point(|quote| quote.end <= range.start);
            let is_quoted = quotes.get(quote).is_some_and(|quote| quote.start <= range.start);
            self.push(text, &WordRange { range, run }, is_quoted);
        }
    }

    fn push(&mut self, text: &str, word: &WordRange, is_quoted: bool) {
        let (source, start) = (&text[word.range.clone()], self.forms.len());
        canonicalize(source, &mut self.forms);
        let form = start..self.forms.len();
        let entry = Entry::listed(source);
        let last = self.words.last();
        let gap = last.map_or("", |last| &text[last.range.end..word.range.start]);
        let is_negated = last.is_some_and(|it| it.negates) && !gap.contains([',', ':', ';']);
        let written = &self.forms[form.clone()];
        let negates = self.is_negation(text, written, gap)
            || is_negated && (passes_on_negation(written) || self.is_imperative(written));
        self.words.push(Word {
            form,
            entry,
            run_entry: match &word.range {
                range if *range == word.run => entry,
                range if range.start == word.run.start => Entry::listed(&text[word.run.clone()]),
                _ => &NONE,
            },
            is_quoted,
            is_part: false,
            is_negated,
            negates,
            range: word.range.clone(),
            run: word.run.clone(),
        });
    }

    /// Returns `true` if the next word, with this form, is a negation. The `gap` separates it from
    /// the last word.
    fn is_negation(&self, text: &str, form: &str, gap: &str) -> bool {
        let previous = self.words.last().map_or("", |last| &text[last.range()]);
        match form {
            "not" => !previous.eq_ignore_ascii_case("why"),
            // "don't"
            "t" => ["'", "\u{2019}"].contains(&gap) && previous.ends_with(['n', 'N']),
            _ => NEGATIONS.contains(&form),
        }
    }

    /// Returns `true` if the next word, with this form, is the verb of a negated request: "Please don't
    /// book the lesson".
    fn is_imperative(&self, form: &str) -> bool {
        let [opening @ .., verb, _negation] = self.words.as_slice() else { return false };
        let is_opening = |word: &Word| contains("pleas but and so", self.form(word));
        contains("do don", self.form(verb))
            && opening.iter().all(is_opening)
            && !contains(ENCOURAGEMENTS, form)
    }

    /// Returns the canonical form of a word.
    pub(crate) fn form(&self, word: &Word) -> &str {
        word.form(&self.forms)
    }

    /// Returns the identifier that a word is a part of.
    pub(crate) fn identifier_of(&self, at: usize) -> Option<&Identifier> {
        let next = self.identifiers.partition_point(|it| it.words.end <= at);
        self.identifiers.get(next).filter(|it| it.words.contains(&at))
    }

    /// Returns the canonical form of the word at an index, that of the whole identifier for a part of one.
    pub(crate) fn whole_form(&self, at: usize) -> &str {
        let word = &self.words[at];
        let whole = if word.is_part { self.identifier_of(at) } else { None };
        let [first, .., last] = whole.map_or(&[][..], |it| &self.words[it.words.clone()]) else {
            return self.form(word);
        };
        &self.forms[first.form.start..last.form.end]
    }

    /// Returns `true` if the word at an index is the first of a clause after another.
    pub(crate) fn starts_clause(&self, text: &str, at: usize) -> bool {
        let [Some(last), Some(word)] = [at.checked_sub(1), Some(at)].map(|at| self.words.get(at?))
        else {
            return false;
        };
        let gap = &text[last.range.end..word.range.start];
        // "1,200"
        let is_in_number = gap == "," && self.form(word).starts_with(|c: char| c.is_ascii_digit());
        !is_in_number && gap.trim_end().ends_with([',', ';'])
            || contains(CLAUSE_STARTS, self.form(word))
    }

    /// Returns the index of the first word that starts at or after a position in the text.
    pub(crate) fn word_from(&self, at: usize) -> usize {
        self.words.partition_point(|word| word.range().start < at)
    }

    /// Returns `true` if nothing but white space, punctuation and quotes follows.
    pub(crate) fn ends_at(&self, at: usize) -> bool {
        self.words[self.word_from(at)..].iter().all(|word| word.is_quoted)
    }

    /// Returns `false` for most sentences without a sequence of canonical words.
    pub(crate) fn may_have(&self, sequence: &Finder) -> bool {
        self.has_split_runs || sequence.find(self.forms.as_bytes()).is_some()
    }

    /// Returns where a sequence of canonical words stands outside of quotes in the text, each with
    /// whether it is negated. A single word may be a run such as "FedEx".
    pub(crate) fn find(
        &self,
        text: &str,
        forms: &[String],
    ) -> impl Iterator<Item = (Range<usize>, bool)> {
        let is_run = move |word: &Word| {
            word.starts_run()
                && word.range() != word.run()
                && [canonical(&text[word.run()])] == *forms
        };
        let is_form =
            |word: &Word, form: &String| word.form.len() == form.len() && self.form(word) == form;
        let range = move |words: &[Word]| match words {
            [word] if is_run(word) => Some(word.run()),
            [first, ..] if forms.first().is_some_and(|form| is_form(first, form)) => {
                let stands = words.iter().zip(forms).all(|(word, form)| is_form(word, form));
                stands.then(|| first.range().start..words[words.len() - 1].range().end)
            }
            _ => None,
        };
        let is_unquoted = |words: &[Word]| !words.iter().any(|word| word.is_quoted);
        let found = self.words.windows(forms.len());
        let found = found.filter_map(move |words| Some((range(words)?, words)));
        let found = found.filter(move |(_, words)| is_unquoted(words));
        found.map(|(range, words)| (range, words[0].is_negated))
    }

    /// Returns where canonical words stand first outside of quotes, and whether they are negated there. Several
    /// words may have other forms, and between two of them may be generic words, pronouns and `max_gap` others.
    pub(crate) fn find_apart(
        &self,
        forms: &[String],
        max_gap: usize,
    ) -> Option<(Range<usize>, bool)> {
        let is_inflected = |form: &str, other: &str| {
            // Stems start like their words.
            form.as_bytes().first() == other.as_bytes().first() && stem(form) == stem(other)
        };
        let is =
            |form: &str, other: &str| form == other || forms.len() > 1 && is_inflected(form, other);
        let counts = |word: &&Word| {
            let form = self.form(word);
            let is_between =
                is_generic(form) || contains(PRONOUNS, form) || contains(AUXILIARIES, form);
            !word.is_quoted && (!is_between || forms.iter().any(|it| it == form))
        };
        let (first, rest) = forms.split_first()?;
        self.words.iter().find(|word| is(self.form(word), first))?;
        let words: Vec<_> = self.words.iter().filter(counts).collect();
        let mut starts = words.iter().enumerate().filter(|(_, word)| is(self.form(word), first));
        starts.find_map(|(start, word)| {
            let (mut last, mut is_negated) = (start, word.is_negated);
            for form in rest {
                let next = words[last + 1..].iter().take(max_gap + 1);
                last += 1 + next.map(|it| self.form(it)).position(|it| is(it, form))?;
                is_negated |= words[last].is_negated;
            }
            Some((word.range.start..words[last].range.end, is_negated))
        })
    }

    /// Returns the words next to a fact, without fillers and generic words between.
    pub(crate) fn beside(&self, text: &str, fact: &Range<usize>) -> [Option<usize>; 2] {
        let previous = self.words.partition_point(|word| word.range().end <= fact.start);
        let before = (0..previous).rev().map(|index| (index, true));
        let after = (self.word_from(fact.end)..self.words.len()).map(|index| (index, false));
        [self.nearest(text, fact, before), self.nearest(text, fact, after)]
    }

    fn nearest(
        &self,
        text: &str,
        fact: &Range<usize>,
        words: impl Iterator<Item = (usize, bool)>,
    ) -> Option<usize> {
        let mut edge = fact.clone();
        let words = words.filter(|(index, _)| !self.words[*index].is_quoted);
        for (index, is_before) in words.take(MAX_FILLERS + 1) {
            let word = &self.words[index];
            let gap = if is_before {
                &text[word.range().end..edge.start]
            } else {
                &text[edge.end..word.range().start]
            };
            if gap.contains(BREAKS) || !is_before && gap.contains(':') {
                return None;
            }
            let form = self.form(word);
            if word.is_part || !is_generic(form) && !FILLERS.contains(&form) {
                return Some(index);
            }
            let is_number = form.starts_with(|c: char| c.is_ascii_digit());
            if is_number || ["and", "or"].contains(&form) {
                return None;
            }
            edge = word.range();
        }
        None
    }
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

#[cfg(test)]
mod tests {
    use super::Sentence;

    #[test]
    fn negations_reach_the_next_word_that_is_not_generic() {
        let cases: [(&str, &[&str]); 11] = [
            ("do not get the mail now", &["get", "the", "mail"]),
            ("don't send", &["send"]),
            ("I haven\u{2019}t the time", &["the", "time"]),
            ("cart t mail", &[]),
            ("no, send; never: mail", &[]),
            ("don't forget to send", &["forget"]),
            ("Please don't book the lesson", &["book", "the", "lesson"]),
            ("I don't like the lesson", &["like"]),
            ("why not send it", &[]),
            ("without mail", &["mail"]),
            ("without running tests", &["running", "tests"]),
        ];
        for (text, expected) in cases {
            let sentence = Sentence::read(text, 0..text.len(), &[]);
            let negated = sentence.words.iter().filter(|word| word.is_negated);
            let negated: Vec<_> = negated.map(|word| &text[word.range()]).collect();
            assert_eq!(negated, expected, "{text}");
        }
    }
}
