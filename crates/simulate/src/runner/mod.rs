//! The runner, which plays one conversation.

// setup     what a runner plays
// play      plays the turns
// checks    finds outcomes, intents and what ends a conversation
// state     the conversation that is played
// time      its time, virtual or real
// progress  events and progress
// settings  the settings of a runner

mod checks;
mod play;
mod progress;
mod settings;
mod setup;
mod state;
mod time;

use std::{fmt, sync::Arc};

use tokio_util::sync::CancellationToken;

pub use self::{
    progress::{Event, Observer, Progress},
    settings::{BaseTimestamp, Clock, Detection, EndConditions, RunnerSettings},
};
use self::{setup::Setup, state::Play};
use super::{
    Conversation, ConversationResult, Intent, IntentExtractor, MessageDraft, OutcomeDetector,
    Outcomes, Participant,
};

/// Plays one conversation between a customer and an agent.
///
/// The initial message is the first turn of its sender. The participants then take turns, starting
/// with the other one. In a turn, a participant sends messages or passes.
///
/// A runner runs once: [`run`](Self::run) consumes it. See the [module
/// documentation](crate) for an example.
#[must_use = "a runner does nothing until it runs"]
pub struct Runner(Setup);

impl Runner {
    /// Creates a runner of a conversation that starts with `initial_message`.
    pub fn new(
        customer: impl Participant + 'static,
        agent: impl Participant + 'static,
        initial_message: MessageDraft,
    ) -> Self {
        Self(Setup::new(Box::new(customer), Box::new(agent), initial_message))
    }

    /// Sets the id of the conversation, which participants and their tools receive. Default: empty.
    pub fn id(self, id: impl Into<String>) -> Self {
        Self(Setup { id: id.into(), ..self.0 })
    }

    /// Sets the intents. Each participant receives its own in each turn, and the detector all.
    pub fn intents(self, intents: Vec<Intent>) -> Self {
        Self(self.0.intents(intents))
    }

    /// Infers the intent from the conversation if there are no intents. The participants are not
    /// told an inferred intent.
    ///
    /// The intent is inferred at the end, and once before if a detector or goal uses it.
    pub fn infer_intent(self, extractor: impl IntentExtractor + 'static) -> Self {
        Self(Setup { extractor: Some(Arc::new(extractor)), ..self.0 })
    }

    /// Sets the outcomes that the conversation can have.
    pub fn outcomes(self, outcomes: impl Into<Arc<Outcomes>>) -> Self {
        Self(Setup { outcomes: outcomes.into(), ..self.0 })
    }

    /// Sets the detector that decides whether the conversation has reached an outcome.
    pub fn detector(self, detector: impl OutcomeDetector + 'static) -> Self {
        Self(Setup { detector: Some(Arc::new(detector)), ..self.0 })
    }

    /// Sets the limits, the time of the detection and the clock.
    pub fn settings(self, settings: RunnerSettings) -> Self {
        Self(Setup { settings, ..self.0 })
    }

    /// Calls `handler` for each event, with the conversation and its progress. The conversation waits
    /// until the handler returns.
    pub fn on_event(
        self,
        handler: impl FnMut(Event, &Conversation, &Progress) + Send + 'static,
    ) -> Self {
        Self(Setup { handler: Some(Box::new(handler)), ..self.0 })
    }

    /// Ends the conversation with [`EndReason::Cancelled`](super::EndReason::Cancelled) when the
    /// token is cancelled. A turn in progress is dropped.
    pub fn cancel_with(self, cancel: CancellationToken) -> Self {
        Self(Setup { cancel, ..self.0 })
    }

    /// Returns read access to the conversation, also while it is played.
    pub fn observer(&mut self) -> Observer {
        let Setup { settings, observer, .. } = &mut self.0;
        let max_messages = settings.max_messages;
        observer.get_or_insert_with(|| Observer::new(max_messages)).clone()
    }

    /// Plays the conversation.
    ///
    /// This does not fail: if a participant or a detector fails or panics, the result has the messages
    /// so far, the [end reason](super::EndReason) and the error.
    pub async fn run(self) -> ConversationResult {
        Play::new(self.0).run().await
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("id", &self.0.id).finish_non_exhaustive()
    }
}
