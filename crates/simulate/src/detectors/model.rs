//! Asks a model for the outcome of a conversation.

use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    Conversation, DetectorError, Intent, JudgeModel, Outcome, OutcomeDetector, Outcomes,
    answer::{is_word, plain},
    question::describe,
};

/// The key of the name in an answer that is a JSON object.
const KEY: &str = "outcome";

/// Asks a model which outcome a conversation has reached.
///
/// The model must answer with the name of the outcome and nothing else, or with `none`. White space,
/// quotes, a final stop, a code fence and case do not count. A JSON object with the name under
/// `outcome` is also an answer. The model is not asked if there are no messages or no outcomes.
#[derive(Debug, Clone)]
pub struct ModelDetector(JudgeModel);

impl ModelDetector {
    /// Creates a detector.
    pub fn new(model: JudgeModel) -> Self {
        Self(model)
    }

    async fn ask(
        &self,
        conversation: &Conversation,
        intents: &[Intent],
        outcomes: &Outcomes,
    ) -> Result<Option<Outcome>, DetectorError> {
        if conversation.messages.is_empty() || outcomes.is_empty() {
            return Ok(None);
        }
        let none = word_for_none(outcomes);
        let answer = self.0.ask(system(outcomes, &none), describe(conversation, intents)).await?;
        match find(&answer, outcomes) {
            Some(outcome) => Ok(Some(outcome.clone())),
            None if is_word(&answer, KEY, &none) => Ok(None),
            None => {
                let names: Vec<_> = outcomes.iter().map(|outcome| outcome.name.as_str()).collect();
                Err(self
                    .0
                    .unexpected(&answer, format_args!("one of: {}, {none}", names.join(", "))))
            }
        }
    }
}

impl OutcomeDetector for ModelDetector {
    fn detect<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
        outcomes: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>> {
        self.ask(conversation, intents, outcomes).boxed()
    }

    fn is_external(&self) -> bool {
        self.0.is_external
    }
}

/// Returns the outcome that an answer names. Of names that differ only in case, it must be the exact
/// one.
fn find<'o>(answer: &str, outcomes: &'o Outcomes) -> Option<&'o Outcome> {
    outcomes.get(answer).or_else(|| {
        let mut named = outcomes.iter().filter(|outcome| is_word(answer, KEY, &outcome.name));
        named.next().filter(|_| named.next().is_none())
    })
}

/// Returns the word for no outcome, which must not be the name of an outcome.
fn word_for_none(outcomes: &Outcomes) -> String {
    let mut word = "none".to_owned();
    while outcomes.iter().any(|outcome| plain(&outcome.name) == word) {
        word.insert_str(0, "no_");
    }
    word
}

fn system(outcomes: &Outcomes, none: &str) -> String {
    let mut text =
        "You judge conversations between a customer and an agent. A conversation may reach \
                    one of these outcomes:\n"
            .to_owned();
    for Outcome { name, description } in outcomes.iter() {
        text += &format!("- {name}: {description}\n");
    }
    text + "Answer with the name of the outcome that the conversation has reached, and with nothing \
            else. If it has not reached an outcome, answer with "
        + none
        + "."
}
