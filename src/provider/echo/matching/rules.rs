//! The four rules that decide whether a sentence mentions a tool.

use super::{
    index::{Index, Keys},
    sentence::Sentence,
    terms::{Term, to_u32},
    work_budget::{Exhausted, WorkBudget},
};

/// The largest distance from one word of the name to the next in a phrase: at most three other
/// words lie between them.
const MAX_DISTANCE: u32 = 4;

/// Matches tools against one sentence.
pub(super) struct SentenceMatcher<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) sentence: &'a Sentence,
    pub(super) budget: &'a mut WorkBudget,
}

/// The result of a rule: the positions of the words that match. Empty if the rule does not match.
type MatchResult = Result<Vec<u32>, Exhausted>;

impl SentenceMatcher<'_> {
    /// Returns the positions of the words that mention `tool`, sorted, as found by the first rule
    /// that matches.
    pub(super) fn positions(&mut self, tool: u32) -> MatchResult {
        let keys = self.index.keys(tool);
        let rules = [Self::match_name, Self::match_phrase, Self::match_topic, Self::match_keyword];
        for rule in rules {
            let mut positions = rule(self, keys)?;
            if !positions.is_empty() {
                positions.sort_unstable();
                positions.dedup();
                return Ok(positions);
            }
        }
        Ok(Vec::new())
    }

    /// Matches the words of the name if they are consecutive or joined into one word.
    fn match_name(&mut self, keys: Keys<'_>) -> MatchResult {
        let mut positions = Vec::new();
        self.add_positions(keys.joined, &mut positions)?;
        let Some(anchor) = keys.words.get(keys.anchor) else { return Ok(positions) };
        for at in self.sentence.positions.get(*anchor) {
            let Some(start) = at.checked_sub(to_u32(keys.anchor)) else { continue };
            if self.is_name_at(start, keys)? {
                positions.extend((start..).take(keys.words.len()));
            }
        }
        Ok(positions)
    }

    /// Returns `true` if the whole name occurs at `start`.
    fn is_name_at(&mut self, start: u32, keys: Keys<'_>) -> Result<bool, Exhausted> {
        for (word, at) in keys.words.iter().zip(start..) {
            self.budget.spend(1)?;
            if !self.sentence.positions.contains(*word, at) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Matches the words of the name in order, with few other words between them.
    fn match_phrase(&mut self, keys: Keys<'_>) -> MatchResult {
        if !keys.is_short() || !self.has_all(keys.words)? {
            return Ok(Vec::new());
        }
        let mut occurrences = self.occurrences(keys)?;
        keep_phrases(&mut occurrences, keys.words.len());
        let kept = occurrences.iter().filter(|occurrence| occurrence.words != 0);
        Ok(kept.map(|occurrence| occurrence.at).collect())
    }

    /// Matches the words of the name that are not generic, in any order.
    fn match_topic(&mut self, keys: Keys<'_>) -> MatchResult {
        let mut positions = Vec::new();
        if self.has_all(keys.topic)? {
            self.add_positions(keys.topic, &mut positions)?;
        }
        Ok(positions)
    }

    /// Matches any keyword of the tool's category, and arithmetic if the category includes it.
    fn match_keyword(&mut self, keys: Keys<'_>) -> MatchResult {
        let mut positions = Vec::new();
        self.add_positions(keys.keywords, &mut positions)?;
        if keys.arithmetic {
            self.budget.spend(self.sentence.arithmetic.len())?;
            positions.extend(&self.sentence.arithmetic);
        }
        Ok(positions)
    }

    /// Returns `true` if the sentence contains all of the terms.
    fn has_all(&mut self, terms: &[Term]) -> Result<bool, Exhausted> {
        self.budget.spend(terms.len())?;
        Ok(terms.iter().all(|term| self.sentence.positions.get(*term).len() > 0))
    }

    /// Appends the positions of all `terms` to `positions`.
    fn add_positions(&mut self, terms: &[Term], positions: &mut Vec<u32>) -> Result<(), Exhausted> {
        for term in terms {
            let found = self.sentence.positions.get(*term);
            self.budget.spend(found.len())?;
            positions.extend(found);
        }
        Ok(())
    }

    /// Returns where the words of a short name occur, sorted by position.
    fn occurrences(&mut self, keys: Keys<'_>) -> Result<Vec<Occurrence>, Exhausted> {
        let mut occurrences = Vec::new();
        for (word, term) in keys.words.iter().enumerate() {
            let positions = self.sentence.positions.get(*term);
            self.budget.spend(positions.len())?;
            occurrences.extend(positions.map(|at| Occurrence { at, words: 1 << word }));
        }
        occurrences.sort_unstable_by_key(|occurrence| occurrence.at);
        occurrences.dedup_by(|next, kept| {
            let same = next.at == kept.at;
            kept.words |= if same { next.words } else { 0 };
            same
        });
        Ok(occurrences)
    }
}

/// A position in a sentence, and which words of the name match the word at that position.
struct Occurrence {
    at: u32,
    /// One bit for each word of the name. The lowest bit is for the first word.
    words: u16,
}

/// Clears the bits of words that are not part of a phrase. A phrase runs from the first to the last
/// word of the name, with each word close to the previous one.
fn keep_phrases(occurrences: &mut [Occurrence], name_len: usize) {
    for here in 0..occurrences.len() {
        let before = words_nearby(&occurrences[here], occurrences[..here].iter().rev());
        occurrences[here].words &= 1 | before << 1;
    }
    for here in (0..occurrences.len()).rev() {
        let after = words_nearby(&occurrences[here], occurrences[here + 1..].iter());
        occurrences[here].words &= 1 << (name_len - 1) | after >> 1;
    }
}

/// Returns the set of words close to `here`. `occurrences` must be sorted by distance from `here`.
fn words_nearby<'o>(here: &Occurrence, occurrences: impl Iterator<Item = &'o Occurrence>) -> u16 {
    let near = occurrences.take_while(|other| other.at.abs_diff(here.at) <= MAX_DISTANCE);
    near.fold(0, |words, other| words | other.words)
}

#[cfg(test)]
mod tests {
    use super::{Occurrence, keep_phrases};
    use proptest::prelude::*;

    fn occurrences(name: &[u8], text: &[u8]) -> Vec<Occurrence> {
        let words = |word: u8| {
            (0..name.len()).filter(|at| name[*at] == word).fold(0, |all, at| all | 1 << at)
        };
        (0..).zip(text).map(|(at, word)| Occurrence { at, words: words(*word) }).collect()
    }

    /// Finds all phrases that start with `chain` by brute force and marks their positions.
    fn try_all(name: &[u8], text: &[u8], chain: &mut Vec<usize>, found: &mut [bool]) {
        let Some(next) = name.get(chain.len()) else {
            return chain.iter().for_each(|at| found[*at] = true);
        };
        let near = chain.last().map_or(0..text.len(), |at| at + 1..text.len().min(at + 5));
        for at in near.filter(|at| text[*at] == *next) {
            chain.push(at);
            try_all(name, text, chain, found);
            chain.pop();
        }
    }

    proptest! {
        #[test]
        fn keeps_the_same_phrases_as_brute_force(name in "[a-c]{1,4}", text in "[a-e]{0,16}") {
            let (name, text) = (name.as_bytes(), text.as_bytes());
            let mut occurrences = occurrences(name, text);
            keep_phrases(&mut occurrences, name.len());
            let mut expected = vec![false; text.len()];
            try_all(name, text, &mut Vec::new(), &mut expected);
            let kept = occurrences.iter().map(|occurrence| occurrence.words != 0);
            prop_assert_eq!(kept.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn keeps_phrases_of_sixteen_words() {
        let name = *b"abcdefghijklmnop";
        let mut occurrences = occurrences(&name, &name);
        keep_phrases(&mut occurrences, name.len());
        assert!(occurrences.iter().all(|occurrence| occurrence.words.count_ones() == 1));
    }
}
