//! Asks a model for the outcome of a conversation, or whether it should end.

use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    Conversation, DetectorError, EndJudge, Intent, JudgeModel, Outcome, OutcomeDetector, Outcomes,
    question::{describe, is_word, plain},
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
}

impl OutcomeDetector for ModelDetector {
    fn detect<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
        outcomes: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>> {
        async move {
            if conversation.messages.is_empty() || outcomes.is_empty() {
                return Ok(None);
            }
            let none = word_for_none(outcomes);
            let prompt = describe(conversation, intents);
            let answer = self.0.ask(system(outcomes, &none), prompt).await?;
            match find(&answer, outcomes) {
                Some(outcome) => Ok(Some(outcome.clone())),
                None if is_word(&answer, KEY, &none) => Ok(None),
                None => {
                    let names: Vec<_> = outcomes.iter().map(|it| it.name.as_str()).collect();
                    let expected = format!("one of: {}, {none}", names.join(", "));
                    Err(self.0.unexpected(&answer, expected))
                }
            }
        }
        .boxed()
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

const COMPLETE: &str = "You judge conversations between a customer and an agent. Is the conversation \
     complete, so that nobody needs to say anything else? Answer with yes or no only.";

const GOAL: &str = "You judge conversations between a customer and an agent. Has the customer \
     achieved what the customer wanted? Answer with yes or no only.";

/// Asks a model a question about a conversation. The model must answer with `yes` or `no`
/// and nothing else, apart from white space, quotes, a final stop, a code fence and case.
#[derive(Debug, Clone)]
pub struct ModelEndJudge {
    model: JudgeModel,
    question: &'static str,
}

impl ModelEndJudge {
    /// Creates a judge that asks whether a conversation is complete.
    pub fn of_completion(model: JudgeModel) -> Self {
        Self { model, question: COMPLETE }
    }

    /// Creates a judge that asks whether the customer has reached the goal.
    pub fn of_goal(model: JudgeModel) -> Self {
        Self { model, question: GOAL }
    }
}

impl EndJudge for ModelEndJudge {
    fn is_reached<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
    ) -> BoxFuture<'a, Result<bool, DetectorError>> {
        async move {
            let prompt = describe(conversation, intents);
            let answer = self.model.ask(self.question.to_owned(), prompt).await?;
            match ["yes", "no"].map(|word| is_word(&answer, "answer", word)) {
                [true, _] => Ok(true),
                [_, true] => Ok(false),
                _ => Err(self.model.unexpected(&answer, "yes or no")),
            }
        }
        .boxed()
    }

    fn is_external(&self) -> bool {
        self.model.is_external
    }
}
