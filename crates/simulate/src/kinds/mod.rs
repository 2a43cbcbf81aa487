//! The kinds of participants in a file. Each kind has its keys, checks them and builds participants.

// keys      the keys of a participant
//   script    follows a script
//   echo      repeats messages
//   replay    replays a recorded participant
//   command   is a program
//   http      answers HTTP requests
//   model     is a model, which may have recorded conversations as examples
//     retrying  asks a model again if it fails

mod command;
mod echo;
mod http;
mod keys;
mod model;
mod replay;
mod retrying;
mod script;

use std::{sync::Arc, time::Duration};

pub use self::http::HttpAgentError;
pub(super) use self::keys::{InlineParticipant, ParticipantKeys};
use crate::{
    Conversation, Intent, Model, Participant, ParticipantRole, participants::Typing,
    plan::PlannedTools,
};

/// A checked participant, from which each conversation gets its own.
pub(crate) struct PlannedParticipant {
    build: Box<Build>,
    /// Whether the participant is outside of this process.
    pub(crate) is_external: bool,
    /// Whether the participant needs a recorded conversation.
    pub(crate) is_replay: bool,
    /// The virtual time for each character.
    typing: Option<Duration>,
    /// What must be connected before the participant is built.
    model: Option<Arc<dyn Model>>,
    tools: Option<Arc<PlannedTools>>,
}

type Build =
    dyn Fn(ParticipantRole, &Start<'_>) -> Result<Box<dyn Participant>, String> + Send + Sync;

/// What a conversation starts from.
pub(crate) struct Start<'a> {
    pub(crate) recorded: Option<&'a Conversation>,
    pub(crate) intents: &'a [Intent],
}

impl PlannedParticipant {
    /// Creates a participant of this process. `build` returns that of a conversation, or fails with a
    /// message.
    fn new(
        build: impl Fn(ParticipantRole, &Start<'_>) -> Result<Box<dyn Participant>, String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            build: Box::new(build),
            is_external: false,
            is_replay: false,
            typing: None,
            model: None,
            tools: None,
        }
    }

    /// Connects to what the participant needs. Fails with a message.
    pub(crate) async fn connect(&self) -> Result<(), String> {
        if let Some(model) = &self.model {
            model.connect().await?;
        }
        match &self.tools {
            Some(tools) => tools.connect().await,
            None => Ok(()),
        }
    }

    /// Returns the connected participant of a conversation. Fails with a message.
    pub(crate) async fn build(
        &self,
        role: ParticipantRole,
        start: &Start<'_>,
    ) -> Result<Box<dyn Participant>, String> {
        self.connect().await?;
        let participant = (self.build)(role, start)?;
        Ok(match self.typing {
            Some(per_character) => Box::new(Typing::new(participant, per_character)),
            None => participant,
        })
    }
}
