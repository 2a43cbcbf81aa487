//! A participant that takes time to write its messages.

use std::time::Duration;

use futures_util::{FutureExt, TryFutureExt, future::BoxFuture};

use crate::{MessageDraft, Participant, ParticipantError, Reply, Turn};

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
