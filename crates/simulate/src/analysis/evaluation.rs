//! Chooses the conversations that the judge compares.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};

use super::{
    adversarial::AdversarialTester,
    index::{Index, Original, hash},
    random::{random, sample},
    report::AdversarialEvaluation,
};
use crate::{
    Conversation, OriginalConversation,
    run::{RunError, Span},
};

/// Maximum number of pairs that are compared.
const MAX_PAIRS: u64 = 100;
/// The number of recorded conversations that are examples, unless the tester has examples.
const EXAMPLES: usize = 3;
/// How many questions the judge gets at the same time.
const CONCURRENCY: usize = 8;

/// Lets the judge compare recorded conversations with simulated ones.
pub(super) async fn evaluate(
    index: &Index,
    tester: &AdversarialTester,
) -> Result<AdversarialEvaluation, RunError> {
    let (mut originals, mut examples) = (index.originals.clone(), tester.examples.clone());
    // Examples are drawn from the recorded conversations unless the tester has its own.
    let needed = if examples.is_empty() { EXAMPLES } else { 1 };
    if let Some(skipped) = shortage(index, needed) {
        tracing::info!("adversarial evaluation skipped: {skipped}");
        return Ok(AdversarialEvaluation::Skipped { skipped });
    }
    if examples.is_empty() {
        let chosen = sample(tester.seed, EXAMPLES as u64, originals.len() as u64);
        let chosen = chosen.into_iter().filter_map(|number| originals.get(number as usize));
        examples = read_originals(index, chosen.map(|original| original.span))?;
    }
    let hashes: BTreeSet<_> = examples.iter().map(hash).collect();
    originals.retain(|original| !hashes.contains(&original.hash));
    let pairs = Pairs::choose(tester.seed, &originals, index)?;
    Ok(pairs.judge(tester, &examples).await)
}

/// Says which conversations are missing for an evaluation.
fn shortage(index: &Index, needed: usize) -> Option<String> {
    let found = index.originals.len();
    if found < needed {
        let (are, need) = (there_are(found), if needed == 1 { "is" } else { "are" });
        return Some(format!("{are}; {needed} {need} needed"));
    }
    let none = "there are no simulated conversations that did not fail";
    index.simulated.is_empty().then(|| none.to_owned())
}

fn there_are(recorded: usize) -> String {
    match recorded {
        0 => "there are no recorded conversations".to_owned(),
        1 => "there is 1 recorded conversation".to_owned(),
        _ => format!("there are {recorded} recorded conversations"),
    }
}

/// The pairs to compare, with the conversations in them.
struct Pairs {
    pairs: Vec<(u64, Span, Span)>,
    originals: BTreeMap<u64, Conversation>,
    simulated: BTreeMap<u64, Conversation>,
}

impl Pairs {
    /// Chooses the pairs: all, or as many as are compared.
    fn choose(seed: u64, originals: &[Original], index: &Index) -> Result<Self, RunError> {
        let columns = index.simulated.len() as u64;
        let all = columns.saturating_mul(originals.len() as u64);
        // Another seed than that of the examples and that of the letters.
        let numbers = sample(random(seed, u64::MAX), MAX_PAIRS, all);
        let pair = |number: u64| {
            let original = originals.get((number / columns) as usize)?.span;
            let simulated = *index.simulated.get((number % columns) as usize)?;
            Some((number, original, simulated))
        };
        let pairs: Vec<_> = numbers.into_iter().filter_map(pair).collect();
        let spans: Vec<_> = unique(pairs.iter().map(|(_, original, _)| *original));
        let read = read_originals(index, spans.iter().copied())?;
        let originals = spans.iter().map(|span| span.start).zip(read).collect();
        let spans: Vec<_> = unique(pairs.iter().map(|(_, _, simulated)| *simulated));
        let read = index.read(spans.iter().copied())?;
        let read = read.into_iter().map(|conversation| conversation.result.conversation);
        let simulated = spans.iter().map(|span| span.start).zip(read).collect();
        Ok(Self { pairs, originals, simulated })
    }

    async fn judge(
        &self,
        tester: &AdversarialTester,
        examples: &[Conversation],
    ) -> AdversarialEvaluation {
        let empty = Conversation::default();
        let answers = self.pairs.iter().map(|(number, original, simulated)| {
            let real = self.originals.get(&original.start).unwrap_or(&empty);
            let simulated = self.simulated.get(&simulated.start).unwrap_or(&empty);
            tester.identify_with(examples, *number, real, simulated)
        });
        let answers: Vec<_> = stream::iter(answers).buffered(CONCURRENCY).collect().await;
        let valid = answers.iter().flatten().count();
        let correct = answers.iter().flatten().filter(|correct| **correct).count();
        AdversarialEvaluation::Evaluated {
            total_pairs_evaluated: valid,
            correct_identifications: correct,
            accuracy: correct as f64 / valid.max(1) as f64,
            invalid_answers: answers.len() - valid,
        }
    }
}

/// Returns the spans without duplicates.
fn unique(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let spans: BTreeMap<_, _> = spans.map(|span| (span.start, span)).collect();
    spans.into_values().collect()
}

fn read_originals(
    index: &Index,
    spans: impl IntoIterator<Item = Span>,
) -> Result<Vec<Conversation>, RunError> {
    let originals = index.read(spans)?.into_iter().filter_map(|conversation| conversation.original);
    Ok(originals.map(|OriginalConversation { conversation, .. }| conversation).collect())
}
