//! A participant that follows a script, and one that takes time to write its messages.

use std::{sync::Arc, time::Duration};

use futures_util::{
    FutureExt, TryFutureExt,
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

/// A participant that takes time to write its messages.
#[derive(Debug, Clone)]
pub struct Typing<P> {
    participant: P,
    per_character: Duration,
}

impl<P> Typing<P> {
    /// Adds the time for each character of a message to the time that the participant takes.
    pub fn new(participant: P, per_character: Duration) -> Self {
        Self { participant, per_character }
    }
}

impl<P: Participant> Participant for Typing<P> {
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        let per_character = self.per_character;
        let reply = self.participant.reply(turn);
        reply.map_ok(move |reply| with_delays(reply, per_character)).boxed()
    }

    fn is_external(&self) -> bool {
        self.participant.is_external()
    }
}

fn with_delays(reply: Reply, per_character: Duration) -> Reply {
    let Reply::Messages(mut drafts) = reply else { return reply };
    for MessageDraft { content, typing, .. } in &mut drafts {
        let characters = u32::try_from(content.chars().count()).unwrap_or(u32::MAX);
        *typing = typing.saturating_add(per_character.saturating_mul(characters));
    }
    Reply::Messages(drafts)
}
