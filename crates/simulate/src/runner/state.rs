//! A conversation that is being played.

use std::{fmt::Display, future::Future, mem, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use mynah_core::base::panics;

use super::{
    Event,
    progress::{Progress, progress_of},
    setup::Setup,
    time::Time,
};
use crate::{
    Conversation, EndReason, MadeCall, MessageDraft, ParticipantRole, SentMessage, UnsentCall,
};

/// A conversation that is being played.
pub(super) struct Play {
    pub(super) setup: Setup,
    pub(super) conversation: Conversation,
    pub(super) time: Time,
    /// How many messages may follow the outcome, once there is one.
    pub(super) followups: Option<usize>,
    /// The number of messages from which the intent was inferred, if it was.
    pub(super) inferred_from: Option<usize>,
}

/// A participant or a detector failed.
pub(super) struct Failure {
    pub(super) reason: EndReason,
    pub(super) error: String,
}

impl Play {
    pub(super) fn new(setup: Setup) -> Self {
        let time = Time::start(setup.clock(), setup.settings.base_timestamp);
        let conversation = Conversation::default();
        Self { setup, conversation, time, followups: None, inferred_from: None }
    }

    pub(super) fn take_initial_message(&mut self) -> MessageDraft {
        let sender = self.setup.initial_message.sender;
        let empty = MessageDraft::new(sender, "");
        let initial = mem::replace(&mut self.setup.initial_message, empty);
        MessageDraft { typing: Duration::ZERO, ..initial }
    }

    /// Keeps the calls for which no message is sent.
    pub(super) fn keep_unsent(
        &mut self,
        sender: ParticipantRole,
        calls: impl IntoIterator<Item = MadeCall>,
    ) {
        let Conversation { messages, unsent_calls, .. } = &mut self.conversation;
        let messages_before = messages.len();
        let unsent = |call| UnsentCall { sender, messages_before, call };
        unsent_calls.extend(calls.into_iter().map(unsent));
    }

    /// Adds a message to the conversation when it is written.
    pub(super) async fn add(&mut self, draft: MessageDraft) {
        let MessageDraft { content, sender, tool_calls, typing } = draft;
        self.time.write(typing).await;
        let message = SentMessage { content, timestamp: self.time.now(), sender, tool_calls };
        self.conversation.messages.push(message);
        self.emit(Event::MessageAdded);
    }

    pub(super) fn is_full(&self) -> bool {
        self.conversation.messages.len() >= self.setup.settings.max_messages
    }

    pub(super) fn emit(&mut self, event: Event) {
        if let Some(observer) = &self.setup.observer {
            observer.update(event, &self.conversation);
        }
        if let Some(mut handler) = self.setup.handler.take() {
            handler(event, &self.conversation, &self.progress(event));
            self.setup.handler = Some(handler);
        }
    }

    fn progress(&self, event: Event) -> Progress {
        let is_complete = matches!(event, Event::ConversationEnded(_));
        let max_messages = self.setup.settings.max_messages;
        progress_of(&self.conversation, max_messages, Some(self.time.started()), is_complete)
    }
}

impl Failure {
    pub(super) fn of_participant(role: ParticipantRole, error: impl Display) -> Self {
        Self { reason: EndReason::ParticipantError, error: format!("{role}: {error}") }
    }

    pub(super) fn of_detector(error: impl Display) -> Self {
        Self { reason: EndReason::DetectorError, error: error.to_string() }
    }
}

/// Returns the output of a participant or a detector, or the message of its panic. Nothing uses it
/// after a panic, because the conversation ends.
pub(super) async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let caught = AssertUnwindSafe(work).catch_unwind().await;
    caught.map_err(|panic| format!("panicked: {}", panics::message(&*panic)))
}
