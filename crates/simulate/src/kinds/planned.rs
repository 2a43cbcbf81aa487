//! A checked participant of any kind.

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    Conversation, Intent, Model, Participant, ParticipantRole,
    participants::Typing,
    plan::{Checker, PlannedTools},
};

/// The keys of a participant of one kind.
pub(super) trait Kind: fmt::Debug {
    /// Checks the keys, which are at a path in the file.
    fn check(self: Box<Self>, path: &str, checker: &mut Checker<'_>) -> Option<PlannedParticipant>;
}

/// A checked participant, from which each conversation gets its own.
pub(crate) struct PlannedParticipant {
    pub(super) build: Box<Build>,
    /// Whether the participant is outside of this process.
    pub(crate) is_external: bool,
    /// Whether the participant needs a recorded conversation.
    pub(crate) is_replay: bool,
    /// The virtual time for each character.
    pub(super) typing: Option<Duration>,
    /// What must be connected before the participant is built.
    pub(super) model: Option<Arc<dyn Model>>,
    pub(super) tools: Option<Arc<PlannedTools>>,
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
    pub(super) fn new(
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

    /// Sets that the participant is outside of this process.
    pub(super) fn external(self) -> Self {
        Self { is_external: true, ..self }
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
