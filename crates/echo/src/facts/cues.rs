//! Words that say what the fact after them is for.

use std::ops::Range;

use super::{Fact, FactType};
use crate::text::{
    Sentence, Word,
    lexicon::{CLAUSE_STARTS, CUE_PAIRS, ITEM_STARTS, STRONG_CUES, contains},
};

/// The cues in a sentence, in order, each with the index of its word.
pub(super) struct Cues(Vec<(usize, &'static str)>);

impl Cues {
    /// Finds the cues among the words of a sentence of a text.
    pub(super) fn find(text: &str, sentence: &Sentence) -> Self {
        let mut cues: Vec<(usize, &'static str)> = Vec::new();
        let mut is_between = false;
        for (index, word) in sentence.words.iter().enumerate() {
            let written = &text[word.range()];
            if is_between && written == "and" {
                cues.push((index, "to"));
                is_between = false;
            } else if written.eq_ignore_ascii_case("between") {
                cues.push((index, "from"));
                is_between = true;
            }
            let Some(cue) = cue(text, &sentence.words[..=index]) else {
                // "to claim CL-7: a.pdf"
                let is_label = text[word.range().end..].starts_with(": ");
                if is_label || starts_request(text, sentence, index) {
                    cues.push((index, ""));
                }
                continue;
            };
            let is_strong =
                |(last, cue): &&(usize, &str)| last + 1 == index && contains(STRONG_CUES, cue);
            let strong = cues.last().filter(is_strong);
            cues.push((index, strong.map_or(cue, |(_, cue)| cue)));
        }
        Self(cues)
    }

    /// Returns the last cue before a fact.
    pub(super) fn before(&self, fact: &Range<usize>, sentence: &Sentence) -> Option<&'static str> {
        self.word_before(fact, sentence).map(|(_, cue)| cue).filter(|cue| !cue.is_empty())
    }

    /// Returns `true` if a place stands between a date and its cue, as in "to Rome, 2025-06-01".
    /// The cue is then for the place.
    pub(super) fn is_for_place(&self, place: &Fact, date: &Fact, sentence: &Sentence) -> bool {
        let is_date = matches!(date.of, FactType::Date | FactType::RelativeDate | FactType::Time);
        let is_place = matches!(place.of, FactType::Name | FactType::Word);
        let is_before_place = |(word, cue): (&Word, &str)| {
            ["from", "to"].contains(&cue) && word.range().end <= place.range.start
        };
        is_date && is_place && self.word_before(&date.range, sentence).is_some_and(is_before_place)
    }

    fn word_before<'s>(
        &self,
        fact: &Range<usize>,
        sentence: &'s Sentence,
    ) -> Option<(&'s Word, &'static str)> {
        let is_before = |(index, _): &(usize, _)| sentence.words[*index].range().end <= fact.start;
        let (index, cue) = self.0[..self.0.partition_point(is_before)].last()?;
        Some((&sentence.words[*index], cue))
    }
}

/// Returns `true` if a word may be the verb of another request: "until 12:00 and invite Ada".
fn starts_request(text: &str, sentence: &Sentence, at: usize) -> bool {
    let (word, before) = (&sentence.words[at], at.checked_sub(1).map(|it| &sentence.words[it]));
    let is_joint = |word: &Word| contains(CLAUSE_STARTS, sentence.form(word));
    word.is_said()
        && before.is_some_and(is_joint)
        && text[word.range()].bytes().all(|byte| byte.is_ascii_lowercase())
        && word.entry.may_be_name()
        && !contains(ITEM_STARTS, sentence.form(word))
}

/// Returns the cue that ends with the last of some words.
fn cue(text: &str, words: &[Word]) -> Option<&'static str> {
    let (word, before) = words.split_last()?;
    if word.is_quoted || word.entry.cue.is_none() && !word.entry.ends_cue {
        return None;
    }
    let is = |word: &Word, other: &str| text[word.range()].eq_ignore_ascii_case(other);
    let is_pair = |(first, last, _): &&(&str, &str, _)| {
        is(word, last) && before.last().is_some_and(|before| is(before, first))
    };
    // "Check in Ada Byron" is a request.
    let is_before_name = || text[word.range().end..].trim_start().starts_with(char::is_uppercase);
    let is_request = |cue: &str| cue.starts_with("check") && before.len() == 1 && is_before_name();
    if let Some((_, _, cue)) = CUE_PAIRS.iter().find(is_pair).filter(|it| !is_request(it.2)) {
        let is_not = |word: &Word| is(word, "no") || is(word, "not");
        let is_negated = before.iter().nth_back(1).is_some_and(is_not);
        return Some(match *cue {
            "over" if is_negated => "under",
            "under" if is_negated => "over",
            cue => cue,
        });
    }
    match word.entry.cue? {
        // "Max Brown"
        _ if &text[word.range()] == "Max"
            && text[word.range().end..].trim_start().starts_with(char::is_uppercase) =>
        {
            None
        }
        "to" if before.last().is_some_and(|it| it.entry.is_before_infinitive) => None,
        cue => Some(cue),
    }
}

/// Returns the cue of a number before "or more" or "or less".
pub(super) fn bound_after(rest: &str) -> Option<&'static str> {
    let mut words = rest.strip_prefix(" or ")?.split(|c: char| !c.is_ascii_alphabetic());
    match words.next()? {
        "more" | "higher" | "above" | "over" | "better" | "greater" | "older" | "later" => {
            Some("over")
        }
        "less" | "lower" | "below" | "under" | "fewer" | "cheaper" | "younger" => Some("under"),
        _ => None,
    }
}
