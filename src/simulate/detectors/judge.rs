//! Asks a model whether a conversation should end.

use futures_util::{FutureExt, future::BoxFuture};

use crate::simulate::{
    Conversation, DetectorError, EndJudge, Intent, JudgeModel, question::describe,
};

const COMPLETE: &str = "You judge conversations between a customer and an agent. Is the conversation \
     complete, so that nobody needs to say anything else? Answer with yes or no only.";

const GOAL: &str = "You judge conversations between a customer and an agent. Has the customer \
     achieved what the customer wanted? Answer with yes or no only.";

/// Asks a model whether a conversation is complete. The model must answer with `yes` or `no`.
#[derive(Debug, Clone)]
pub struct CompletionJudge(JudgeModel);

/// Asks a model whether the customer has reached the goal. The model must answer with `yes` or `no`.
#[derive(Debug, Clone)]
pub struct GoalJudge(JudgeModel);

impl CompletionJudge {
    /// Creates a judge.
    pub fn new(model: JudgeModel) -> Self {
        Self(model)
    }
}

impl GoalJudge {
    /// Creates a judge.
    pub fn new(model: JudgeModel) -> Self {
        Self(model)
    }
}

impl EndJudge for CompletionJudge {
    fn is_reached<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
    ) -> BoxFuture<'a, Result<bool, DetectorError>> {
        ask(&self.0, COMPLETE, conversation, intents).boxed()
    }
}

impl EndJudge for GoalJudge {
    fn is_reached<'a>(
        &'a self,
        conversation: &'a Conversation,
        intents: &'a [Intent],
    ) -> BoxFuture<'a, Result<bool, DetectorError>> {
        ask(&self.0, GOAL, conversation, intents).boxed()
    }
}

async fn ask(
    model: &JudgeModel,
    system: &str,
    conversation: &Conversation,
    intents: &[Intent],
) -> Result<bool, DetectorError> {
    let answer = model.ask(system.to_owned(), describe(conversation, intents)).await?;
    match answer.as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(model.unexpected(&answer, "yes or no")),
    }
}
