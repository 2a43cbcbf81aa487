//! The interface of participants.

use std::fmt::Display;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use thiserror::Error as ThisError;

use super::{Conversation, Intent, MadeCall, MessageDraft, ParticipantRole};

/// A participant of a conversation. Each conversation has participants of its own.
///
/// ```
/// use futures_util::{FutureExt, future::BoxFuture};
/// use mynah_simulate::{
///     MessageDraft,
///     Participant,
///     ParticipantError,
///     ParticipantRole,
///     Reply,
///     Runner,
///     Turn,
///     participants::Script,
/// };
///
/// /// Repeats what the customer says.
/// struct Parrot;
///
/// impl Participant for Parrot {
///     fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
///         let heard = turn.conversation.last_message().map_or("", |message| &message.content);
///         let answer = MessageDraft::new(ParticipantRole::Agent, format!("You say: {heard}"));
///         async move { Ok(answer.into()) }.boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let hello = "Hello!";
/// let customer = Script::of_texts(ParticipantRole::Customer, [hello]);
/// let runner =
///     Runner::new(customer, Parrot, MessageDraft::new(ParticipantRole::Customer, hello));
/// let conversation = runner.run().await.conversation;
/// assert_eq!(conversation.messages[1].content, "You say: Hello!");
/// # }
/// ```
pub trait Participant: Send {
    /// Returns what the participant says in this turn.
    ///
    /// # Errors
    ///
    /// An error ends the conversation with the end reason `participant_error`.
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>>;

    /// Returns `true` if the participant is outside of this process. The time of its turns is
    /// limited, and the conversation follows the real clock, unless the settings say otherwise.
    fn is_external(&self) -> bool {
        false
    }
}

impl<T: Participant + ?Sized> Participant for Box<T> {
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        (**self).reply(turn)
    }

    fn is_external(&self) -> bool {
        (**self).is_external()
    }
}

/// A turn of a participant.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// Id of the conversation, unique in a run.
    pub conversation_id: &'a str,
    /// The conversation so far.
    pub conversation: &'a Conversation,
    /// The intents that the participant was given.
    pub intents: &'a [Intent],
    /// How many turns the participant had before, including the one of the initial message.
    pub number: usize,
    /// The current time of the conversation.
    pub now: Timestamp,
}

impl Turn<'_> {
    /// Returns `true` if the other participant has written since the latest message of this one.
    pub(super) fn has_unread(&self, role: ParticipantRole) -> bool {
        self.conversation.last_message().is_some_and(|message| message.sender != role)
    }
}

/// What a participant says in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Nothing. The conversation ends when both participants pass, one after the other.
    Pass,
    /// One or several messages. Messages without text are not sent, but their tool calls are kept as
    /// [`Conversation::unsent_calls`]. If no message has text, the participant passes.
    Messages(Vec<MessageDraft>),
}

impl From<MessageDraft> for Reply {
    fn from(message: MessageDraft) -> Self {
        Self::Messages(vec![message])
    }
}

/// A participant cannot answer.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{message}")]
pub struct ParticipantError {
    message: String,
    calls: Vec<MadeCall>,
}

impl ParticipantError {
    /// Creates an error with this message.
    pub fn new(message: impl Display) -> Self {
        Self { message: message.to_string(), calls: Vec::new() }
    }

    /// Sets the tool calls that the participant made in the turn.
    #[must_use]
    pub fn with_calls(self, calls: Vec<MadeCall>) -> Self {
        Self { calls, ..self }
    }

    pub(super) fn into_parts(self) -> (String, Vec<MadeCall>) {
        (self.message, self.calls)
    }
}
