//! Asks a judge which conversations are real.

use std::{fmt, fmt::Write, sync::Arc, time::Duration};

use mynah_core::provider::Provider;

use super::random::random;
use crate::{
    Conversation, JudgeModel,
    answer::is_word,
    question::{ToolNames, push_messages},
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
    pub(super) seed: u64,
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

    pub(super) async fn identify_with(
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
        push_messages(&mut text, conversation, ToolNames::Hidden);
        text += "\n\n";
    };
    examples.iter().for_each(|it| add("An example of a conversation that took place:", it));
    add("A:", a);
    add("B:", b);
    text
}
