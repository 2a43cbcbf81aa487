//! Says what is missing in a text for a tool to be mentioned.

use std::collections::BTreeMap;

use mynah_core::base::work::{Stopped, Work};

use super::{
    facts::Reading,
    text::{canonical, lexicon::is_generic, sentences, words},
};

/// The steps for a sentence with a word.
const STEPS: usize = 256;

/// The words of a name that a sentence has, each with whether it is negated.
type Said = BTreeMap<usize, bool>;

/// A text in which words are found.
struct Text {
    reading: Reading,
    /// Where the sentences end.
    ends: Vec<usize>,
    /// The words that were searched, each with its sentences, and with whether it is negated there.
    found: BTreeMap<String, BTreeMap<usize, bool>>,
}

/// Returns for each name why a text does not mention the tool, by the sentence that has most of its words.
pub(super) fn reasons<'n>(
    names: impl Iterator<Item = &'n str>,
    text: &str,
    work: &Work,
) -> Result<Vec<String>, Stopped> {
    let ends = sentences(text).map(|sentence| sentence.end).collect();
    let mut text = Text { reading: Reading::new(text), ends, found: BTreeMap::new() };
    names.map(|name| text.reason(name, work)).collect()
}

impl Text {
    fn reason(&mut self, name: &str, work: &Work) -> Result<String, Stopped> {
        let wanted = distinctive_words(name);
        let (mut by_sentence, mut ever) = (BTreeMap::<usize, Said>::new(), Said::new());
        for (number, word) in wanted.iter().enumerate() {
            let found = self.find(canonical(word));
            work.spend(STEPS * (1 + found.len()))?;
            for (sentence, is_negated) in found {
                by_sentence.entry(*sentence).or_default().insert(number, *is_negated);
                ever.insert(number, *is_negated);
            }
        }
        // The first of the nearest sentences.
        let nearest = by_sentence.into_values().rev().max_by_key(Said::len).unwrap_or_default();
        Ok(describe(&wanted, &nearest, &ever))
    }

    fn find(&mut self, word: String) -> &BTreeMap<usize, bool> {
        let Self { reading, ends, found } = self;
        let sentence = |at: usize| ends.partition_point(|end| *end <= at);
        found.entry(word).or_insert_with_key(|word| {
            let found = reading.find(std::slice::from_ref(word)).into_iter().rev();
            found.map(|(range, is_negated)| (sentence(range.start), is_negated)).collect()
        })
    }
}

fn describe(wanted: &[&str], nearest: &Said, ever: &Said) -> String {
    let quoted = |is_listed: &dyn Fn(&usize) -> bool| {
        let listed = (0..wanted.len()).filter(is_listed).map(|at| format!("'{}'", wanted[at]));
        listed.collect::<Vec<_>>().join(", ")
    };
    let is_missing = |at: &usize| !nearest.contains_key(at);
    let (said, missing) = (quoted(&|at| !is_missing(at)), quoted(&is_missing));
    match (nearest.len(), ever.len()) {
        _ if wanted.is_empty() => "the name has no words".to_owned(),
        (0, _) => format!("{missing} not said"),
        (near, _) if near == wanted.len() && nearest.values().any(|is_negated| *is_negated) => {
            format!("{said} said, but negated")
        }
        (near, _) if near == wanted.len() => {
            format!("{said} said, but another tool has these words")
        }
        (_, all) if all == wanted.len() => {
            format!("{} said, but not in one sentence", quoted(&|_| true))
        }
        _ => format!("{said} said, {missing} not"),
    }
}

/// Returns the words of a name without its prefix and without generic words, unless all are generic.
fn distinctive_words(name: &str) -> Vec<&str> {
    let part = name.rsplit_once("__").map_or(name, |(_, part)| part);
    let all: Vec<_> = words(part).map(|word| &part[word.range]).collect();
    let is_distinctive = |word: &&str| !is_generic(&canonical(word));
    let distinctive: Vec<_> = all.iter().copied().filter(is_distinctive).collect();
    if distinctive.is_empty() { all } else { distinctive }
}
