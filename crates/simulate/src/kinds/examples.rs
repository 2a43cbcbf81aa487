//! Recorded conversations as examples: those whose words are nearest to the intents.
//!
//! The rank is that of BM25 without randomness: sums are taken in the order of the words, and of equally
//! near conversations, the first one comes first.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use mynah_echo::text::{canonical, words};

use super::planned::Start;
use crate::recorded::Recording;

/// How little the repetitions of a word count.
const SATURATION: f64 = 1.2;
/// How much the length of a conversation counts.
const LENGTH: f64 = 0.75;

/// The recorded conversations in a file from which a model gets examples.
#[derive(Debug)]
pub(super) struct Examples {
    recording: Arc<Recording>,
    /// The number of examples.
    number: usize,
    /// For each word, the conversations that have it, and how often.
    found: BTreeMap<String, Vec<(usize, u32)>>,
    /// The number of words of each conversation.
    lengths: Vec<u32>,
}

impl Examples {
    pub(super) fn new(recording: Arc<Recording>, number: usize) -> Self {
        let (mut found, mut lengths) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
        for at in 0..recording.len() {
            let (mut counts, mut length) = (BTreeMap::new(), 0);
            let conversation = recording.get(at).map(|original| original.conversation);
            for message in conversation.iter().flat_map(|it| &it.messages) {
                for word in canonical_words(&message.content) {
                    *counts.entry(word).or_insert(0) += 1;
                    length += 1;
                }
            }
            for (word, count) in counts {
                found.entry(word).or_default().push((at, count));
            }
            lengths.push(length);
        }
        Self { recording, number, found, lengths }
    }

    /// Returns the conversations that are nearest to the intents, as texts, nearest first. Leaves out the
    /// recorded conversation that is played.
    pub(super) fn nearest(&self, start: &Start<'_>) -> Vec<String> {
        let query = start.intents.iter().flat_map(|intent| canonical_words(&intent.description));
        let scores = self.scores(&query.collect());
        let mut ranked: Vec<_> = scores.iter().map(|(at, score)| (*at, *score)).collect();
        // The sort is stable.
        ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let others = (0..self.lengths.len()).filter(|at| !scores.contains_key(at));
        let ranked = ranked.into_iter().map(|(at, _)| at).chain(others);
        let conversations = ranked.filter_map(|at| self.recording.get(at));
        let conversations = conversations.map(|original| original.conversation);
        let others = conversations.filter(|conversation| start.recorded != Some(conversation));
        others.take(self.number).map(|conversation| conversation.to_string()).collect()
    }

    /// Returns the scores of the conversations that have one of the words.
    fn scores(&self, words: &BTreeSet<String>) -> BTreeMap<usize, f64> {
        let total = self.lengths.len() as f64;
        let average = self.lengths.iter().map(|length| f64::from(*length)).sum::<f64>() / total;
        let mut scores = BTreeMap::new();
        for found in words.iter().filter_map(|word| self.found.get(word)) {
            let having = found.len() as f64;
            let rarity = (1.0 + (total - having + 0.5) / (having + 0.5)).ln();
            for (at, count) in found {
                let (count, length) = (f64::from(*count), f64::from(self.lengths[*at]));
                let limit = SATURATION * (1.0 - LENGTH + LENGTH * length / average);
                *scores.entry(*at).or_insert(0.0) +=
                    rarity * count * (SATURATION + 1.0) / (count + limit);
            }
        }
        scores
    }
}

fn canonical_words(text: &str) -> impl Iterator<Item = String> {
    words(text).map(|word| canonical(&text[word.range]))
}
