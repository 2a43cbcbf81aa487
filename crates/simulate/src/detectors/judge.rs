//! Asks a model whether a conversation should end.

use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    Conversation, DetectorError, EndJudge, Intent, JudgeModel, answer::is_word, question::describe,
};

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

    async fn ask(
        &self,
        conversation: &Conversation,
        intents: &[Intent],
    ) -> Result<bool, DetectorError> {
        let prompt = describe(conversation, intents);
        let answer = self.model.ask(self.question.to_owned(), prompt).await?;
        match ["yes", "no"].map(|word| is_word(&answer, "answer", word)) {
            [true, _] => Ok(true),
            [_, true] => Ok(false),
            _ => Err(self.model.unexpected(&answer, "yes or no")),
        }
    }
}

impl EndJudge for ModelEndJudge {
    fn is_reached<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
    ) -> BoxFuture<'a, Result<bool, DetectorError>> {
        self.ask(conversation, intents).boxed()
    }

    fn is_external(&self) -> bool {
        self.model.is_external
    }
}
