//! Questions about conversations that models answer.

use std::{fmt, sync::Arc};

use serde::Serialize;

use super::{Conversation, DetectorError, Intent, Message, ParticipantRole, UnsentCall};
use crate::{
    chat::{self, Request, Role},
    provider::Provider,
    tool_loop::{EndReason, ToolLoop},
};

/// Maximum number of characters of an answer that an error shows.
const MAX_SHOWN: usize = 500;

/// A model that answers questions about conversations.
///
/// ```
/// # use std::sync::Arc;
/// # use mynah::provider::echo::{Echo, EchoSettings};
/// use mynah::simulate::JudgeModel;
/// let model = Arc::new(Echo::new("judge", EchoSettings::default()));
/// let judge = JudgeModel::new(model).instructions("Be strict.");
/// ```
#[derive(Clone)]
pub struct JudgeModel {
    model: Arc<dyn Provider>,
    tools: ToolLoop,
    instructions: Option<String>,
    session: Option<Arc<str>>,
}

impl JudgeModel {
    /// Creates a model that is asked without further instructions.
    pub fn new(model: Arc<dyn Provider>) -> Self {
        Self { model, tools: ToolLoop::without_tools(), instructions: None, session: None }
    }

    /// Sets a user message before each question. It may contain an instruction chain, of which each
    /// question gets the first step.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        Self { instructions: Some(text.into()), ..self }
    }

    /// Sets the session to which the calls belong.
    #[must_use]
    pub fn session(self, session: impl Into<Arc<str>>) -> Self {
        Self { session: Some(session.into()), ..self }
    }

    /// Returns the answer to a question, without spaces around it.
    pub(super) async fn ask(
        &self,
        system: String,
        prompt: String,
    ) -> Result<String, DetectorError> {
        let system = chat::Message::new(Role::System, system);
        let instructions = self.instructions.as_ref();
        let instructions = instructions.map(|text| chat::Message::new(Role::User, text));
        let prompt = chat::Message::new(Role::User, prompt);
        let messages = [system].into_iter().chain(instructions).chain([prompt]).collect();
        let run = self.tools.run(self.model.clone(), Request { messages, ..Request::default() });
        let run = match self.session.clone() {
            Some(session) => run.session(session),
            None => run,
        };
        let result = run.await;
        match &result.end {
            EndReason::Answered => Ok(result.text().trim().to_owned()),
            EndReason::ModelError(error) => {
                Err(DetectorError::new(format_args!("the judge failed: {error}")))
            }
            end => {
                Err(DetectorError::new(format_args!("the judge did not answer: {}", end.as_str())))
            }
        }
    }
}

impl fmt::Debug for JudgeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgeModel").finish_non_exhaustive()
    }
}

/// A message as a line of JSON, so that its text cannot pass for another message.
#[derive(Serialize)]
struct Line<'a> {
    sender: ParticipantRole,
    content: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn of_message(message: &'a Message) -> Self {
        let Message { sender, content, tool_calls, .. } = message;
        let tool_calls = tool_calls.iter().map(|call| call.name.as_str()).collect();
        Self { sender: *sender, content, tool_calls }
    }

    fn of_unsent(unsent: &'a UnsentCall) -> Self {
        Self { sender: unsent.sender, content: "", tool_calls: vec![&unsent.call.name] }
    }

    fn to_text(&self) -> String {
        // Serializing this type cannot fail.
        format!("\n{}", serde_json::to_string(self).unwrap_or_default())
    }
}

/// Returns the text of a conversation, preceded by the intents.
pub(super) fn describe(conversation: &Conversation, intents: &[Intent]) -> String {
    let mut text = String::new();
    for Intent { role, description } in intents {
        text += &format!("Intent of the {role}: {description}\n");
    }
    text += "Conversation:";
    let mut unsent = conversation.unsent_calls.iter().peekable();
    for (before, message) in conversation.messages.iter().enumerate() {
        while let Some(unsent) = unsent.next_if(|unsent| unsent.messages_before <= before) {
            text += &Line::of_unsent(unsent).to_text();
        }
        text += &Line::of_message(message).to_text();
    }
    unsent.for_each(|unsent| text += &Line::of_unsent(unsent).to_text());
    text
}

/// Returns the error for an answer that is none of those expected.
pub(super) fn unexpected(answer: &str, expected: impl fmt::Display) -> DetectorError {
    let shown: String = answer.chars().take(MAX_SHOWN).collect();
    let more = if shown.len() < answer.len() { "…" } else { "" };
    DetectorError::new(format_args!("the judge answered {shown:?}{more}; expected {expected}"))
}
