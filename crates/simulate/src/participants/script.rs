//! A participant that follows a script.

use std::{sync::Arc, time::Duration};

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};

use crate::{
    Conversation, MessageDraft, Participant, ParticipantError, ParticipantRole, Reply, Turn,
};

/// A participant that follows a script, with one step for each of its turns. After the last step, it
/// passes. Clones share the script.
///
/// The initial message is the first turn of its sender, so the first step of the sender is not
/// played.
#[derive(Debug, Clone)]
pub struct Script {
    role: ParticipantRole,
    steps: Arc<[ScriptStep]>,
}

/// What a participant does in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptStep {
    /// Sends a message.
    Say {
        /// The message.
        text: String,
        /// How long the participant waits before it writes, in virtual time.
        delay: Duration,
    },
    /// Sends nothing.
    Pass,
}

impl ScriptStep {
    /// Creates a step that sends a message without a delay.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say { text: text.into(), delay: Duration::ZERO }
    }
}

impl Script {
    /// Creates a participant with a script.
    pub fn new(role: ParticipantRole, steps: impl Into<Arc<[ScriptStep]>>) -> Self {
        Self { role, steps: steps.into() }
    }

    /// Creates a participant that sends these messages, one in each turn.
    pub fn of_texts<T: Into<String>>(
        role: ParticipantRole,
        texts: impl IntoIterator<Item = T>,
    ) -> Self {
        let steps: Vec<_> = texts.into_iter().map(ScriptStep::say).collect();
        Self::new(role, steps)
    }

    /// Creates a participant that repeats what one side said in a recorded conversation. It passes
    /// in the turns in which it said nothing, so two replayed sides give the same conversation.
    pub fn replay(role: ParticipantRole, recorded: &Conversation) -> Self {
        let mut steps = Vec::new();
        // The first message is the first turn of its sender.
        let mut owner = recorded.messages.first().map_or(role, |message| message.sender);
        for message in &recorded.messages {
            while message.sender != owner {
                if owner == role {
                    steps.push(ScriptStep::Pass);
                }
                owner = owner.other();
            }
            if owner == role {
                steps.push(ScriptStep::say(&message.content));
            }
            owner = owner.other();
        }
        Self::new(role, steps)
    }
}

impl Participant for Script {
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        let reply = match self.steps.get(turn.number) {
            Some(ScriptStep::Say { text, delay }) => {
                MessageDraft { typing: *delay, ..MessageDraft::new(self.role, text) }.into()
            }
            Some(ScriptStep::Pass) | None => Reply::Pass,
        };
        future::ready(Ok(reply)).boxed()
    }
}
