//! A participant that repeats messages.

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};

use super::PlannedParticipant;
use crate::{MessageDraft, Participant, ParticipantError, ParticipantRole, Reply, Turn};

/// Plans a participant that repeats what the other one says.
pub(super) fn echo() -> PlannedParticipant {
    PlannedParticipant::new(|role, _| Ok(Box::new(EchoParticipant(role))))
}

/// A participant that repeats the latest message of the other one, and passes if there is none since
/// its own.
struct EchoParticipant(ParticipantRole);

impl Participant for EchoParticipant {
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        let reply = match turn.conversation.last_message() {
            Some(message) if turn.has_unread(self.0) => {
                MessageDraft::new(self.0, &message.content).into()
            }
            _ => Reply::Pass,
        };
        future::ready(Ok(reply)).boxed()
    }
}
