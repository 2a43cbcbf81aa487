//! The progress of a conversation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mynah_core::base::clock::Moment;
use serde::Serialize;

use crate::{Conversation, EndReason};

/// The progress of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Progress {
    /// Number of messages so far.
    pub message_count: usize,
    /// Maximum number of messages.
    pub max_messages: usize,
    /// Whether the conversation has ended.
    pub is_complete: bool,
    /// Name of the outcome, if one was detected.
    pub outcome: Option<String>,
    /// Real time since the start of the run; 0 before the start.
    pub elapsed_seconds: f64,
}

/// An event in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The last message of the conversation was added. The initial message is also an event.
    MessageAdded,
    /// The outcome of the conversation was detected.
    OutcomeDetected,
    /// The conversation ended. This is the last event.
    ConversationEnded(EndReason),
}

/// A function that is called for each event.
pub(super) type EventHandler = Box<dyn FnMut(Event, &Conversation, &Progress) + Send>;

/// Read access to a conversation while it is played. Clones observe the same conversation.
#[derive(Debug, Clone)]
pub struct Observer(Arc<Mutex<Observed>>);

#[derive(Debug)]
struct Observed {
    conversation: Conversation,
    max_messages: usize,
    started: Option<Moment>,
    is_complete: bool,
}

impl Observer {
    pub(super) fn new(max_messages: usize) -> Self {
        let conversation = Conversation::default();
        let observed = Observed { conversation, max_messages, started: None, is_complete: false };
        Self(Arc::new(observed.into()))
    }

    /// Returns a copy of the conversation so far.
    pub fn conversation(&self) -> Conversation {
        self.lock().conversation.clone()
    }

    /// Returns `true` if the conversation has ended.
    pub fn is_complete(&self) -> bool {
        self.lock().is_complete
    }

    /// Returns the progress of the conversation.
    pub fn progress(&self) -> Progress {
        let Observed { conversation, max_messages, started, is_complete } = &*self.lock();
        progress_of(conversation, *max_messages, *started, *is_complete)
    }

    pub(super) fn start(&self, max_messages: usize, now: Moment) {
        let mut observed = self.lock();
        (observed.max_messages, observed.started) = (max_messages, Some(now));
    }

    pub(super) fn update(&self, event: Event, conversation: &Conversation) {
        let mut observed = self.lock();
        let known = observed.conversation.unsent_calls.len();
        let unsent = conversation.unsent_calls.get(known..).unwrap_or_default();
        observed.conversation.unsent_calls.extend_from_slice(unsent);
        match event {
            Event::MessageAdded => {
                let new = conversation.last_message().cloned();
                observed.conversation.messages.extend(new);
            }
            Event::OutcomeDetected => observed.conversation.outcome = conversation.outcome.clone(),
            Event::ConversationEnded(_) => observed.is_complete = true,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Observed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn progress_of(
    conversation: &Conversation,
    max_messages: usize,
    started: Option<Moment>,
    is_complete: bool,
) -> Progress {
    Progress {
        message_count: conversation.messages.len(),
        max_messages,
        is_complete,
        outcome: conversation.outcome.as_ref().map(|outcome| outcome.name.clone()),
        elapsed_seconds: started.map_or(0.0, |started| started.age().as_secs_f64()),
    }
}
