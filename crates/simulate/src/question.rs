//! Questions about conversations that models answer, and how the answers are read.

use std::{fmt, sync::Arc, time::Duration};

use mynah_agent::tool_loop::{LoopEnd, Run, ToolLoop};
use mynah_core::{
    base::text::shorten,
    chat::{self, Request, Role},
    provider::Provider,
};
use serde::Serialize;
use serde_json::Value;

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
    pub(super) name: &'static str,
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
        let run = self.session.iter().cloned().fold(run, Run::session);
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
    push_messages(&mut text, conversation, true);
    text
}

/// Adds a line for each message of a conversation, with or without the names of the tools that were
/// called.
pub(super) fn push_messages(text: &mut String, conversation: &Conversation, has_tools: bool) {
    let mut unsent = conversation.unsent_calls.iter().filter(|_| has_tools).peekable();
    let of_unsent = |unsent: &UnsentCall| line(unsent.sender, "", [&unsent.call]);
    for (before, message) in conversation.messages.iter().enumerate() {
        while let Some(unsent) = unsent.next_if(|unsent| unsent.messages_before <= before) {
            *text += &of_unsent(unsent);
        }
        let calls = message.tool_calls.iter().filter(|_| has_tools);
        *text += &line(message.sender, &message.content, calls);
    }
    unsent.for_each(|unsent| *text += &of_unsent(unsent));
}

const FENCE: &str = "```";

/// Returns `true` if an answer is a word, apart from case, white space, quotes, a final stop and a
/// code fence around it. The word is the whole answer, or the text under `key` in a JSON object.
pub(super) fn is_word(answer: &str, key: &str, word: &str) -> bool {
    plain(&text_of(answer, key)) == plain(word)
}

/// Returns the JSON in an answer: the content of its only code fence, or the whole answer.
pub(super) fn json(answer: &str) -> &str {
    let mut parts = answer.split(FENCE);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(fenced), Some(_), None) => without_language(fenced),
        _ => answer,
    }
}

/// Returns the text under a key if the answer is a JSON object, otherwise the answer.
fn text_of(answer: &str, key: &str) -> String {
    let object = serde_json::from_str::<Value>(json(answer)).ok();
    let text = object.as_ref().and_then(|object| match object.get(key)? {
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    text.unwrap_or_else(|| answer.to_owned())
}

/// Returns a word in lower case, without what models put around words.
pub(super) fn plain(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let rest = fenced(text).unwrap_or(text).trim_matches(is_around);
        let rest = rest.strip_suffix(['.', '。']).unwrap_or(rest);
        if rest == text {
            return text.to_lowercase();
        }
        text = rest;
    }
}

fn is_around(c: char) -> bool {
    c.is_whitespace() || "\"'`“”„‘’«»".contains(c)
}

/// Returns the content of a code fence that is the whole text.
fn fenced(text: &str) -> Option<&str> {
    text.strip_prefix(FENCE)?.strip_suffix(FENCE).map(without_language)
}

/// Removes the name of the language after the start of a code fence.
fn without_language(fenced: &str) -> &str {
    match fenced.split_once('\n') {
        Some((language, rest)) if language.trim().chars().all(char::is_alphanumeric) => rest,
        _ => fenced,
    }
}
