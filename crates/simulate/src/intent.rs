//! What participants want, and how it is found in conversations.

use futures_util::{FutureExt, future::BoxFuture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Conversation, DetectorError, JudgeModel, ParticipantRole,
    question::{describe, json, plain},
};

/// A goal of a participant in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// Who has the intent.
    pub role: ParticipantRole,
    /// One or two sentences about what the participant wants to achieve.
    pub description: String,
}

impl Intent {
    /// Creates an intent.
    pub fn new(role: ParticipantRole, description: impl Into<String>) -> Self {
        Self { role, description: description.into() }
    }
}

/// Infers what a participant of a conversation wants.
pub trait IntentExtractor: Send + Sync {
    /// Returns the intent, or `None` if the conversation shows none.
    ///
    /// # Errors
    ///
    /// In a conversation that is being played, an error is the end reason `detector_error`.
    fn extract<'a>(
        &'a self,
        conversation: &'a Conversation,
    ) -> BoxFuture<'a, Result<Option<Intent>, DetectorError>>;

    /// Returns `true` if the extractor is outside of this process. The conversation then follows the real
    /// clock, unless the settings say otherwise.
    fn is_external(&self) -> bool {
        false
    }
}

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
    pub fn new(mut model: JudgeModel) -> Self {
        model.name = "the model that infers the intent";
        Self(model)
    }
}

impl IntentExtractor for ModelIntentExtractor {
    fn extract<'a>(
        &'a self,
        conversation: &'a Conversation,
    ) -> BoxFuture<'a, Result<Option<Intent>, DetectorError>> {
        async move {
            if conversation.messages.is_empty() {
                return Ok(None);
            }
            let answer = self.0.ask(SYSTEM.to_owned(), describe(conversation, &[])).await?;
            if plain(&answer) == "none" {
                return Ok(None);
            }
            let expected = "a JSON object with role and description, or none";
            match serde_json::from_str::<Intent>(json(&answer)) {
                Ok(intent) => Ok(Some(intent).filter(|it| !it.description.trim().is_empty())),
                Err(_) => Err(self.0.unexpected(&answer, expected)),
            }
        }
        .boxed()
    }

    fn is_external(&self) -> bool {
        self.0.is_external
    }
}
