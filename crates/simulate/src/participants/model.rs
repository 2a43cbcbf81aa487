//! A participant whose messages a model writes.

use std::{mem, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use jiff::Timestamp;
use mynah_agent::tool_loop::{CallRecord, LoopEnd, LoopResult, ToolLoop};
use mynah_core::{
    chat::{Message, Request, Role},
    provider::Provider,
};

use crate::{
    Conversation, Intent, MadeCall, MessageDraft, Participant, ParticipantError, ParticipantRole,
    Reply, Turn,
};

/// A participant whose messages a model writes: a component in this process, or one behind a sidecar.
///
/// The model sees a system text with the persona, the intents and the texts from
/// [`system`](Self::system), then the [`instructions`](Self::instructions) as a user message, and
/// then the conversation: the participant's own messages as those of the assistant, and the others as
/// those of the user. If the other participant passes after a message, a system message says so.
///
/// The participant passes if the answer is blank, and after the last step of an instruction chain.
#[derive(Debug, Clone)]
pub struct ModelParticipant {
    role: ParticipantRole,
    model: Model,
    tools: ToolLoop,
    persona: Option<String>,
    system: Vec<String>,
    instructions: Option<String>,
    is_external: bool,
    history: History,
}

/// The conversation and the time for which a tool runs. Tools get it from
/// [`ToolContext::extension`](mynah_agent::tool_loop::ToolContext::extension).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedTurn {
    /// Id of the conversation.
    pub conversation_id: Arc<str>,
    /// The time at the start of the turn.
    pub now: Timestamp,
}

/// The time limit of a loop whose time the runner limits. Longer than any conversation.
const UNLIMITED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

#[derive(Clone)]
struct Model(Arc<dyn Provider>);

/// What the model has seen.
#[derive(Debug, Clone, Default)]
struct History {
    messages: Vec<Message>,
    /// Number of messages of the conversation that the history includes.
    seen: usize,
    /// Whether the history includes a message that the conversation did not have then.
    is_ahead: bool,
}

impl ModelParticipant {
    /// Creates a participant without tools.
    pub fn new(role: ParticipantRole, model: Arc<dyn Provider>) -> Self {
        Self {
            role,
            model: Model(model),
            tools: ToolLoop::without_tools(),
            persona: None,
            system: Vec::new(),
            instructions: None,
            is_external: false,
            history: History::default(),
        }
    }

    /// Sets the tools that the participant uses. They receive a [`SimulatedTurn`].
    #[must_use]
    pub fn tools(self, tools: ToolLoop) -> Self {
        Self { tools, ..self }
    }

    /// Describes the participant in the system text.
    #[must_use]
    pub fn persona(self, persona: impl Into<String>) -> Self {
        Self { persona: Some(persona.into()), ..self }
    }

    /// Adds a paragraph to the system text.
    #[must_use]
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system.push(text.into());
        self
    }

    /// Sets the user message before the conversation, which may contain an instruction chain. The
    /// steps of the chain are the turns of the participant. If it sent the initial message, this was
    /// the first step.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        Self { instructions: Some(text.into()), ..self }
    }

    /// Sets whether the model is outside of this process. If so, the runner limits the time of its
    /// turns, instead of the settings of the tools.
    #[must_use]
    pub fn external(self, is_external: bool) -> Self {
        Self { is_external, ..self }
    }

    async fn take_turn(&mut self, turn: Turn<'_>) -> Result<Reply, ParticipantError> {
        self.update_history(&turn);
        let messages = mem::take(&mut self.history.messages);
        let request = Request { messages, ..Request::default() };
        let conversation_id: Arc<str> = turn.conversation_id.into();
        let mut run = self.tools.run(self.model.0.clone(), request);
        if !conversation_id.is_empty() {
            run = run.session(conversation_id.clone());
        }
        if self.is_external {
            run = run.total_limit(UNLIMITED);
        }
        let result = run.extension(SimulatedTurn { conversation_id, now: turn.now }).await;
        let error = match &result.end {
            LoopEnd::Answered => return Ok(self.accept(result)),
            LoopEnd::ModelError(error) => ParticipantError::new(error),
            end => ParticipantError::new(no_answer(end)),
        };
        Err(error.with_calls(result.calls.into_iter().map(made_call).collect()))
    }

    /// Adds the messages since the last turn to the history.
    fn update_history(&mut self, turn: &Turn<'_>) {
        if self.history.messages.is_empty() {
            let system =
                self.system_text(turn.intents).map(|text| Message::new(Role::System, text));
            let instructions = self.instructions.as_ref();
            let instructions = instructions.map(|text| Message::new(Role::User, text));
            self.history.messages.extend(system.into_iter().chain(instructions));
        }
        let Conversation { messages: all, .. } = turn.conversation;
        let History { messages, seen, is_ahead } = &mut self.history;
        for message in all.get(*seen..).unwrap_or_default() {
            let is_own = message.sender == self.role;
            if !(is_own && mem::take(is_ahead)) {
                let assistant = Role::Assistant { tool_calls: Vec::new() };
                let role = if is_own { assistant } else { Role::User };
                messages.push(Message::new(role, &message.content));
            }
        }
        *seen = all.len();
        // Two turns of the model in a row could look like one turn, whose calls follow its text.
        if messages.last().is_some_and(|message| matches!(message.role, Role::Assistant { .. })) {
            let text = format!("The {} sent no message.", self.role.other());
            messages.push(Message::new(Role::System, text));
        }
    }

    fn system_text(&self, intents: &[Intent]) -> Option<String> {
        let persona = self.persona.iter().map(|text| format!("Persona: {text}"));
        let intents = intents.iter().map(|intent| format!("Intent: {}", intent.description));
        let paragraphs: Vec<_> =
            persona.chain(intents).chain(self.system.iter().cloned()).collect();
        (!paragraphs.is_empty()).then(|| paragraphs.join("\n\n"))
    }

    fn accept(&mut self, result: LoopResult) -> Reply {
        let text = result.text().to_owned();
        self.history.messages = result.transcript;
        let tool_calls: Vec<_> = result.calls.into_iter().map(made_call).collect();
        let is_exhausted = result.response.is_some_and(|response| response.is_exhausted);
        if is_exhausted || text.trim().is_empty() {
            // A blank step of a chain must count as a turn of the model. Other models may reject
            // blank messages.
            if is_exhausted || !self.follows_chain() {
                self.history.messages.pop();
            }
            if tool_calls.is_empty() {
                return Reply::Pass;
            }
            return MessageDraft { tool_calls, ..MessageDraft::new(self.role, "") }.into();
        }
        self.history.is_ahead = true;
        MessageDraft { tool_calls, ..MessageDraft::new(self.role, text) }.into()
    }

    fn follows_chain(&self) -> bool {
        let instructions = self.instructions.as_ref();
        instructions.is_some_and(|text| !self.model.0.instruction_ranges(text).is_empty())
    }
}

impl Participant for ModelParticipant {
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        self.take_turn(turn).boxed()
    }

    fn is_external(&self) -> bool {
        self.is_external
    }
}

/// Returns the error for a turn that ended without an answer.
fn no_answer(end: &LoopEnd) -> String {
    let reason = match end {
        LoopEnd::Stalled => "it repeated the same tool calls",
        LoopEnd::MaxTurns => "it called tools in too many turns",
        LoopEnd::Budget => "its tool calls exceeded a limit on their time, number or size",
        LoopEnd::CallerTools => "it called an unknown tool",
        LoopEnd::Cancelled => "the turn was cancelled",
        LoopEnd::Answered | LoopEnd::ModelError(_) => end.as_str(),
    };
    format!("the model did not answer: {reason}")
}

fn made_call(call: CallRecord) -> MadeCall {
    let CallRecord { name, arguments, result, .. } = call;
    MadeCall { name, arguments, result: result.to_string() }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Model")
    }
}
