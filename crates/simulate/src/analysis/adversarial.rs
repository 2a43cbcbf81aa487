//! Asks a judge which conversations are real.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Write},
    sync::Arc,
    time::Duration,
};

use futures_util::{StreamExt, stream};
use mynah_core::provider::Provider;
use twox_hash::XxHash3_64;

use super::{
    index::{Index, Original, hash},
    report::AdversarialEvaluation,
};
use crate::{
    Conversation, JudgeModel, SimulatedConversation,
    question::{is_word, push_messages},
    run::{RunError, Span},
};

/// What the judge is asked.
const SYSTEM: &str = "One of two conversations took place between a customer and an agent. The other one \
                      was simulated. Decide which one took place. Answer with its letter, A or B, \
                      and nothing else.";

/// Asks a judge, a model, which of two conversations took place and which one was simulated.
///
/// ```
/// use std::sync::Arc;
///
/// use mynah_core::provider::Provider;
/// use mynah_echo::{Echo, EchoSettings};
/// use mynah_simulate::{AdversarialTester, Conversation};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let judge: Arc<dyn Provider> = Arc::new(Echo::new("judge", EchoSettings::default()));
/// let tester = AdversarialTester::new(move || judge.clone()).with_seed(42);
/// // The judge is not asked if one of the conversations is empty.
/// assert_eq!(tester.identify(0, &Conversation::default(), &Conversation::default()).await, None);
/// # Ok(())
/// # }
/// ```
pub struct AdversarialTester {
    judge: Box<dyn Fn() -> Arc<dyn Provider> + Send + Sync>,
    seed: u64,
    instructions: Option<String>,
    time_limit: Option<Duration>,
    pub(super) examples: Vec<Conversation>,
}

impl AdversarialTester {
    /// Creates a tester. `judge` returns the model for one question.
    pub fn new(judge: impl Fn() -> Arc<dyn Provider> + Send + Sync + 'static) -> Self {
        let judge = Box::new(judge);
        Self { judge, seed: 0, instructions: None, time_limit: None, examples: Vec::new() }
    }

    /// Sets the seed of the random choices: the pairs, and which conversation of a pair is A.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets a user message before the question, such as an instruction chain.
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<String>) -> Self {
        Self { instructions: Some(instructions.into()), ..self }
    }

    /// Sets the maximum duration of an answer. Default: 2 min.
    #[must_use]
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// Sets examples of conversations that took place. They are not compared. By default, three
    /// recorded conversations are chosen.
    #[must_use]
    pub fn with_examples(self, examples: Vec<Conversation>) -> Self {
        Self { examples, ..self }
    }

    /// Returns whether the judge identifies the real conversation of a pair, or `None` if one of them
    /// is empty, if the judge fails, or if its answer is neither A nor B.
    pub async fn identify(
        &self,
        pair: u64,
        real: &Conversation,
        simulated: &Conversation,
    ) -> Option<bool> {
        self.identify_with(&self.examples, pair, real, simulated).await
    }

    async fn identify_with(
        &self,
        examples: &[Conversation],
        pair: u64,
        real: &Conversation,
        simulated: &Conversation,
    ) -> Option<bool> {
        if real.messages.is_empty() || simulated.messages.is_empty() {
            return None;
        }
        let real_is_a = random(self.seed, pair).is_multiple_of(2);
        let (a, b) = if real_is_a { (real, simulated) } else { (simulated, real) };
        let answer = self.judge_model().ask(SYSTEM.to_owned(), question(examples, a, b)).await;
        let answer = answer.inspect_err(|error| tracing::warn!("pair {pair}: {error}")).ok()?;
        match ["A", "B"].map(|letter| is_word(&answer, "answer", letter)) {
            [true, _] => Some(real_is_a),
            [_, true] => Some(!real_is_a),
            _ => None,
        }
    }

    fn judge_model(&self) -> JudgeModel {
        let judge = JudgeModel::new((self.judge)());
        let judge = self.time_limit.into_iter().fold(judge, JudgeModel::time_limit);
        self.instructions.iter().fold(judge, JudgeModel::instructions)
    }
}

impl fmt::Debug for AdversarialTester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdversarialTester").field("seed", &self.seed).finish_non_exhaustive()
    }
}

fn question(examples: &[Conversation], a: &Conversation, b: &Conversation) -> String {
    let mut text = String::new();
    let mut add = |title: &str, conversation: &Conversation| {
        // Writing to a string does not fail.
        let _ = write!(text, "{title}");
        // Recordings often have no tool calls, so these would give simulated conversations away.
        push_messages(&mut text, conversation, false);
        text += "\n\n";
    };
    examples.iter().for_each(|it| add("An example of a conversation that took place:", it));
    add("A:", a);
    add("B:", b);
    text
}

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
        let read = index.read(chosen.map(|original| original.span))?;
        examples = read.into_iter().filter_map(recorded).collect();
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
        let originals = pairs.iter().map(|(_, original, _)| *original);
        let originals = read_unique(index, originals, recorded)?;
        let simulated = pairs.iter().map(|(_, _, simulated)| *simulated);
        let simulated = read_unique(index, simulated, |it| Some(it.result.conversation))?;
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

/// Reads what `select` returns of the conversations, each once, by their starts.
fn read_unique(
    index: &Index,
    spans: impl Iterator<Item = Span>,
    select: impl Fn(SimulatedConversation) -> Option<Conversation>,
) -> Result<BTreeMap<u64, Conversation>, RunError> {
    let spans: BTreeMap<_, _> = spans.map(|span| (span.start, span)).collect();
    let read = index.read(spans.values().copied())?;
    let read = spans.into_keys().zip(read);
    Ok(read.filter_map(|(start, simulated)| Some((start, select(simulated)?))).collect())
}

/// Returns the recorded conversation.
fn recorded(simulated: SimulatedConversation) -> Option<Conversation> {
    simulated.original.map(|original| original.conversation)
}

/// Returns a number that depends on the seed and on `number` only.
fn random(seed: u64, number: u64) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, &number.to_le_bytes())
}

/// Chooses `count` different numbers below `all`, or all of them if there are no more, by Floyd's
/// algorithm.
fn sample(seed: u64, count: u64, all: u64) -> BTreeSet<u64> {
    let mut sample = BTreeSet::new();
    for last in all.saturating_sub(count)..all {
        let chosen = random(seed, last) % (last + 1);
        if !sample.insert(chosen) {
            sample.insert(last);
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn samples_are_reproducible_and_have_no_duplicates() {
        for (count, all) in [(0, 0), (3, 3), (9, 4), (100, 101), (100, 10_000), (1, 7)] {
            let chosen = sample(1, count, all);
            assert_eq!(chosen.len() as u64, count.min(all));
            assert!(chosen.iter().all(|number| *number < all));
            assert_eq!(chosen, sample(1, count, all));
        }
        assert_ne!(sample(1, 5, 1_000), sample(2, 5, 1_000));
    }
}
