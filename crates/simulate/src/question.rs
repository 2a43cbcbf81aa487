//! Questions about conversations that models answer.

use std::{fmt, sync::Arc, time::Duration};

use mynah_agent::tool_loop::{LoopEnd, ToolLoop};
use mynah_core::{
    base::text::shorten,
    chat::{self, Request, Role},
    provider::Provider,
};
use serde::Serialize;

use super::{Conversation, DetectorError, Intent, MadeCall, ParticipantRole, UnsentCall};

/// The default time limit of an answer.
const TIME_LIMIT: Duration = Duration::from_secs(2 * 60);

/// Maximum number of characters of an answer that an error shows.
const MAX_SHOWN: usize = 500;

/// A model that answers questions about conversations.
///
/// ```
/// # use std::sync::Arc;
/// # use mynah_echo::{Echo, EchoSettings};
/// use mynah_simulate::JudgeModel;
/// let model = Arc::new(Echo::new("judge", EchoSettings::default()));
/// let judge = JudgeModel::new(model).instructions("Be strict.");
/// ```
#[derive(Clone)]
pub struct JudgeModel {
    model: Arc<dyn Provider>,
    tools: ToolLoop,
    instructions: Option<String>,
    session: Option<Arc<str>>,
    time_limit: Duration,
    pub(super) is_external: bool,
    /// What errors call the model.
    name: &'static str,
}

impl JudgeModel {
    /// Creates a model that is asked without further instructions.
    pub fn new(model: Arc<dyn Provider>) -> Self {
        Self {
            model,
            tools: ToolLoop::without_tools(),
            instructions: None,
            session: None,
            time_limit: TIME_LIMIT,
            is_external: false,
            name: "the judge",
        }
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

    /// Sets the maximum duration of an answer. Default: 2 min.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: limit, ..self }
    }

    /// Sets whether the model is outside of this process. If so, conversations follow the real clock,
    /// unless their settings say otherwise.
    #[must_use]
    pub fn external(self, is_external: bool) -> Self {
        Self { is_external, ..self }
    }

    /// Sets what errors call the model, instead of `the judge`.
    pub(super) fn called(self, name: &'static str) -> Self {
        Self { name, ..self }
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
        let result = run.total_limit(self.time_limit).await;
        let problem = match &result.end {
            LoopEnd::Answered => return Ok(result.text().trim().to_owned()),
            LoopEnd::ModelError(error) => format!("failed: {error}"),
            LoopEnd::Budget => format!("did not answer within {:?}", self.time_limit),
            LoopEnd::CallerTools | LoopEnd::Stalled | LoopEnd::MaxTurns => {
                "called a tool instead of answering".to_owned()
            }
            LoopEnd::Cancelled => "was cancelled".to_owned(),
        };
        Err(DetectorError::new(format_args!("{} {problem}", self.name)))
    }

    /// Returns the error for an answer that is none of those expected.
    pub(super) fn unexpected(&self, answer: &str, expected: impl fmt::Display) -> DetectorError {
        let shown = shorten(answer, MAX_SHOWN);
        DetectorError::new(format_args!("{} answered {shown:?}; expected {expected}", self.name))
    }
}

impl fmt::Debug for JudgeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgeModel").finish_non_exhaustive()
    }
}

/// Whether the lines of a conversation have the names of the tools that were called.
#[derive(Clone, Copy)]
pub(super) enum ToolNames {
    Shown,
    Hidden,
}

/// A message as a line of JSON, so that its text cannot pass for another message.
#[derive(Serialize)]
struct Line<'a> {
    sender: ParticipantRole,
    content: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<&'a str>,
}

/// Returns a message as a line.
fn line<'a>(
    sender: ParticipantRole,
    content: &'a str,
    calls: impl IntoIterator<Item = &'a MadeCall>,
) -> String {
    let tool_calls = calls.into_iter().map(|call| call.name.as_str()).collect();
    let line = Line { sender, content, tool_calls };
    // Serializing this type cannot fail.
    format!("\n{}", serde_json::to_string(&line).unwrap_or_default())
}

/// Returns the text of a conversation, preceded by the intents.
pub(super) fn describe(conversation: &Conversation, intents: &[Intent]) -> String {
    let mut text = String::new();
    for Intent { role, description } in intents {
        text += &format!("Intent of the {role}: {description}\n");
    }
    text += "Conversation:";
    push_messages(&mut text, conversation, ToolNames::Shown);
    text
}

/// Adds a line for each message of a conversation.
pub(super) fn push_messages(text: &mut String, conversation: &Conversation, names: ToolNames) {
    let is_shown = matches!(names, ToolNames::Shown);
    let mut unsent = conversation.unsent_calls.iter().filter(|_| is_shown).peekable();
    let of_unsent = |unsent: &UnsentCall| line(unsent.sender, "", [&unsent.call]);
    for (before, message) in conversation.messages.iter().enumerate() {
        while let Some(unsent) = unsent.next_if(|unsent| unsent.messages_before <= before) {
            *text += &of_unsent(unsent);
        }
        let calls = message.tool_calls.iter().filter(|_| is_shown);
        *text += &line(message.sender, &message.content, calls);
    }
    unsent.for_each(|unsent| *text += &of_unsent(unsent));
}
