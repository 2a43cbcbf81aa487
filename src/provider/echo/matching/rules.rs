//! The four rules by which the words of a sentence mention a tool.

use super::{
    budget::{Budget, Exhausted},
    index::{Index, Keys},
    sentence::Sentence,
    terms::{Term, as_number},
};

/// So far apart are neighbouring words of a phrase at most: three others between them.
const REACH: u32 = 4;

/// One sentence, to which the rules are applied.
pub(super) struct Rules<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) sentence: &'a Sentence,
    pub(super) budget: &'a mut Budget,
}

/// Where the words stand that took part.
type Positions = Result<Vec<u32>, Exhausted>;

impl Rules<'_> {
    /// Where the words stand that mention `tool` by the first rule that holds, in order.
    pub(super) fn apply(&mut self, tool: u32) -> Positions {
        let keys = self.index.keys(tool);
        for rule in [Self::name, Self::phrase, Self::topic, Self::keyword] {
            let mut positions = rule(self, keys)?;
            if !positions.is_empty() {
                positions.sort_unstable();
                positions.dedup();
                return Ok(positions);
            }
        }
        Ok(Vec::new())
    }

    /// The words of its name stand there consecutively, or joined as one word.
    fn name(&mut self, keys: Keys<'_>) -> Positions {
        let mut positions = Vec::new();
        self.take(keys.joined, &mut positions)?;
        let Some(anchor) = keys.words.get(keys.anchor) else { return Ok(positions) };
        for at in self.sentence.places.of(*anchor) {
            let Some(start) = at.checked_sub(as_number(keys.anchor)) else { continue };
            if self.stands_at(start, keys)? {
                positions.extend((start..).take(keys.words.len()));
            }
        }
        Ok(positions)
    }

    /// Whether all words of the name stand there from `start` on.
    fn stands_at(&mut self, start: u32, keys: Keys<'_>) -> Result<bool, Exhausted> {
        for (word, at) in keys.words.iter().zip(start..) {
            self.budget.spend(1)?;
            if !self.sentence.places.contains(*word, at) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The words of its name stand there in order, with few others between neighbours.
    fn phrase(&mut self, keys: Keys<'_>) -> Positions {
        if !keys.is_short() || !self.has_all(keys.words)? {
            return Ok(Vec::new());
        }
        let mut spots = self.spots(keys)?;
        keep_chains(&mut spots, keys.words.len());
        Ok(spots.iter().filter(|spot| spot.words != 0).map(|spot| spot.at).collect())
    }

    /// The words of its name less the generic ones all stand there.
    fn topic(&mut self, keys: Keys<'_>) -> Positions {
        let mut positions = Vec::new();
        if self.has_all(keys.topic)? {
            self.take(keys.topic, &mut positions)?;
        }
        Ok(positions)
    }

    /// The sentence has a keyword of its category.
    fn keyword(&mut self, keys: Keys<'_>) -> Positions {
        let mut positions = Vec::new();
        self.take(keys.keywords, &mut positions)?;
        if keys.arithmetic {
            self.budget.spend(self.sentence.arithmetic.len())?;
            positions.extend(&self.sentence.arithmetic);
        }
        Ok(positions)
    }

    /// Whether each of the terms stands somewhere.
    fn has_all(&mut self, terms: &[Term]) -> Result<bool, Exhausted> {
        self.budget.spend(terms.len())?;
        Ok(terms.iter().all(|term| self.sentence.places.of(*term).len() > 0))
    }

    /// Adds wherever one of the terms stands.
    fn take(&mut self, terms: &[Term], positions: &mut Vec<u32>) -> Result<(), Exhausted> {
        for term in terms {
            let places = self.sentence.places.of(*term);
            self.budget.spend(places.len())?;
            positions.extend(places);
        }
        Ok(())
    }

    /// Where words of a short name stand, in order.
    fn spots(&mut self, keys: Keys<'_>) -> Result<Vec<Spot>, Exhausted> {
        let mut spots = Vec::new();
        for (word, term) in keys.words.iter().enumerate() {
            let places = self.sentence.places.of(*term);
            self.budget.spend(places.len())?;
            spots.extend(places.map(|at| Spot { at, words: 1 << word }));
        }
        spots.sort_unstable_by_key(|spot| spot.at);
        spots.dedup_by(|next, kept| {
            let same = next.at == kept.at;
            kept.words |= if same { next.words } else { 0 };
            same
        });
        Ok(spots)
    }
}

/// A place in a sentence, with one bit for each word of a name that stands there.
struct Spot {
    at: u32,
    words: u16,
}

/// Keeps the bits of words that are part of a phrase: a chain from the first to the last word of
/// the name, each within reach of the one before.
fn keep_chains(spots: &mut [Spot], words: usize) {
    for here in 0..spots.len() {
        let before = in_reach(&spots[here], spots[..here].iter().rev());
        spots[here].words &= 1 | before << 1;
    }
    for here in (0..spots.len()).rev() {
        let after = in_reach(&spots[here], spots[here + 1..].iter());
        spots[here].words &= 1 << (words - 1) | after >> 1;
    }
}

/// The words that stand within reach, the spots coming nearest first.
fn in_reach<'s>(here: &Spot, spots: impl Iterator<Item = &'s Spot>) -> u16 {
    let near = spots.take_while(|spot| spot.at.abs_diff(here.at) <= REACH);
    near.fold(0, |words, spot| words | spot.words)
}

#[cfg(test)]
mod tests {
    use super::{Spot, keep_chains};
    use proptest::prelude::*;

    fn spots(name: &[u8], text: &[u8]) -> Vec<Spot> {
        let words = |word: u8| {
            (0..name.len()).filter(|at| name[*at] == word).fold(0, |all, at| all | 1 << at)
        };
        (0..).zip(text).map(|(at, word)| Spot { at, words: words(*word) }).collect()
    }

    /// Adds the places of all chains that continue `chain`, tried one by one.
    fn try_all(name: &[u8], text: &[u8], chain: &mut Vec<usize>, found: &mut [bool]) {
        let Some(next) = name.get(chain.len()) else {
            return chain.iter().for_each(|at| found[*at] = true);
        };
        let reach = chain.last().map_or(0..text.len(), |at| at + 1..text.len().min(at + 5));
        for at in reach.filter(|at| text[*at] == *next) {
            chain.push(at);
            try_all(name, text, chain, found);
            chain.pop();
        }
    }

    proptest! {
        #[test]
        fn keeps_what_trying_all_chains_finds(name in "[a-c]{1,4}", text in "[a-e]{0,16}") {
            let (name, text) = (name.as_bytes(), text.as_bytes());
            let mut spots = spots(name, text);
            keep_chains(&mut spots, name.len());
            let mut expected = vec![false; text.len()];
            try_all(name, text, &mut Vec::new(), &mut expected);
            prop_assert_eq!(spots.iter().map(|spot| spot.words != 0).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn sixteen_words_fit() {
        let name = *b"abcdefghijklmnop";
        let mut spots = spots(&name, &name);
        keep_chains(&mut spots, name.len());
        assert!(spots.iter().all(|spot| spot.words.count_ones() == 1));
    }
}
