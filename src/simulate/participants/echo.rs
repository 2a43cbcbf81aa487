//! A participant that repeats what the other one says.

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};

use crate::simulate::{MessageDraft, Participant, ParticipantError, ParticipantRole, Reply, Turn};

/// A participant that repeats the latest message of the other one, and passes if there is none since
/// its own.
#[derive(Debug, Clone)]
pub(in crate::simulate) struct EchoParticipant(pub(in crate::simulate) ParticipantRole);

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
