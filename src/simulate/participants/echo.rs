//! A participant that repeats the latest message.

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};

use crate::simulate::{
    Intent, MessageDraft, Participant, ParticipantError, ParticipantRole, Reply, Turn,
};

/// A participant that repeats the latest message.
#[derive(Debug, Clone)]
pub(in crate::simulate) struct EchoParticipant(pub(in crate::simulate) ParticipantRole);

impl Participant for EchoParticipant {
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        let reply = match turn.conversation.last_message() {
            Some(message) => MessageDraft::new(self.0, &message.content).into(),
            None => Reply::Pass,
        };
        future::ready(Ok(reply)).boxed()
    }

    fn with_intent(&self, _: &Intent) -> Box<dyn Participant> {
        Box::new(self.clone())
    }
}
