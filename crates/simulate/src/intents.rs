//! Intents that a model finds in conversations.

use futures_util::{FutureExt, future::BoxFuture};

use super::{
    Conversation, DetectorError, Intent, IntentExtractor, JudgeModel,
    answer::{json, plain},
    question::describe,
};

const SYSTEM: &str = "You read conversations between a customer and an agent. Find out who wants to \
     achieve something in the conversation, and what. Answer with one JSON object only, such as \
     {\"role\": \"customer\", \"description\": \"Cancel the subscription\"}. The role is customer or \
     agent. The description has one or two sentences. If nobody wants to achieve anything, answer \
     with none.";

/// Asks a model for the intent in a conversation.
///
/// The model must answer with a JSON object of a `role` and a `description`, which may be in a code
/// fence, or with `none`. A conversation without messages has no intent, and the model is not asked.
#[derive(Debug, Clone)]
pub struct ModelIntentExtractor(JudgeModel);

impl ModelIntentExtractor {
    /// Creates an extractor.
    pub fn new(model: JudgeModel) -> Self {
        Self(model.called("the model that infers the intent"))
    }

    async fn ask(&self, conversation: &Conversation) -> Result<Option<Intent>, DetectorError> {
        if conversation.messages.is_empty() {
            return Ok(None);
        }
        let answer = self.0.ask(SYSTEM.to_owned(), describe(conversation, &[])).await?;
        if plain(&answer) == "none" {
            return Ok(None);
        }
        match serde_json::from_str::<Intent>(json(&answer)) {
            Ok(intent) => Ok(Some(intent).filter(|it| !it.description.trim().is_empty())),
            Err(_) => {
                Err(self.0.unexpected(&answer, "a JSON object with role and description, or none"))
            }
        }
    }
}

impl IntentExtractor for ModelIntentExtractor {
    fn extract<'a>(
        &'a self,
        conversation: &'a Conversation,
    ) -> BoxFuture<'a, Result<Option<Intent>, DetectorError>> {
        self.ask(conversation).boxed()
    }

    fn is_external(&self) -> bool {
        self.0.is_external
    }
}
