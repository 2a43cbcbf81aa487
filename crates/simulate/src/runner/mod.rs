//! The runner, which plays one conversation.

// play      plays the turns
// checks    finds outcomes, intents and what ends a conversation
// time      its time, virtual or real
// progress  events and progress
// settings  the settings of a runner

mod checks;
mod play;
mod progress;
mod settings;
mod time;

use std::{fmt, sync::Arc};

use tokio_util::sync::CancellationToken;

use self::progress::EventHandler;
pub use self::{
    progress::{Event, Observer, Progress},
    settings::{BaseTimestamp, Clock, Detection, EndConditions, RunnerSettings},
};
use super::{
    Conversation, Intent, IntentExtractor, MessageDraft, OutcomeDetector, Outcomes, Participant,
    ParticipantRole,
};

/// Plays one conversation between a customer and an agent.
///
/// The initial message is the first turn of its sender. The participants then take turns, starting
/// with the other one. In a turn, a participant sends messages or passes.
///
/// A runner runs once: [`run`](Self::run) consumes it. See the [module
/// documentation](crate) for an example.
#[must_use = "a runner does nothing until it runs"]
pub struct Runner {
    id: String,
    customer: Side,
    agent: Side,
    initial_message: MessageDraft,
    intents: Vec<Intent>,
    extractor: Option<Arc<dyn IntentExtractor>>,
    outcomes: Arc<Outcomes>,
    detector: Option<Arc<dyn OutcomeDetector>>,
    settings: RunnerSettings,
    handler: Option<EventHandler>,
    observer: Option<Observer>,
    cancel: CancellationToken,
}

/// A participant, and what belongs to it.
struct Side {
    participant: Box<dyn Participant>,
    /// Those that were given.
    intents: Vec<Intent>,
    /// The number of its turns so far.
    turns: usize,
}

impl Side {
    fn new(participant: impl Participant + 'static) -> Self {
        Self { participant: Box::new(participant), intents: Vec::new(), turns: 0 }
    }
}

impl Runner {
    /// Creates a runner of a conversation that starts with `initial_message`.
    pub fn new(
        customer: impl Participant + 'static,
        agent: impl Participant + 'static,
        initial_message: MessageDraft,
    ) -> Self {
        Self {
            id: String::new(),
            customer: Side::new(customer),
            agent: Side::new(agent),
            initial_message,
            intents: Vec::new(),
            extractor: None,
            outcomes: Arc::default(),
            detector: None,
            settings: RunnerSettings::default(),
            handler: None,
            observer: None,
            cancel: CancellationToken::new(),
        }
    }

    /// Sets the id of the conversation, which participants and their tools receive. Default: empty.
    pub fn id(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }

    /// Sets the intents. Each participant receives its own in each turn, and the detector all.
    pub fn intents(mut self, intents: Vec<Intent>) -> Self {
        for role in [ParticipantRole::Customer, ParticipantRole::Agent] {
            let own = intents.iter().filter(|intent| intent.role == role);
            self.side(role).intents = own.cloned().collect();
        }
        Self { intents, ..self }
    }

    /// Infers the intent from the conversation if there are no intents. The participants are not
    /// told an inferred intent.
    ///
    /// The intent is inferred at the end, and once before if a detector or goal uses it.
    pub fn infer_intent(self, extractor: impl IntentExtractor + 'static) -> Self {
        Self { extractor: Some(Arc::new(extractor)), ..self }
    }

    /// Sets the outcomes that the conversation can have.
    pub fn outcomes(self, outcomes: impl Into<Arc<Outcomes>>) -> Self {
        Self { outcomes: outcomes.into(), ..self }
    }

    /// Sets the detector that decides whether the conversation has reached an outcome.
    pub fn detector(self, detector: impl OutcomeDetector + 'static) -> Self {
        Self { detector: Some(Arc::new(detector)), ..self }
    }

    /// Sets the limits, the time of the detection and the clock.
    pub fn settings(self, settings: RunnerSettings) -> Self {
        Self { settings, ..self }
    }

    /// Calls `handler` for each event, with the conversation and its progress. The conversation waits
    /// until the handler returns.
    pub fn on_event(
        self,
        handler: impl FnMut(Event, &Conversation, &Progress) + Send + 'static,
    ) -> Self {
        Self { handler: Some(Box::new(handler)), ..self }
    }

    /// Ends the conversation with [`EndReason::Cancelled`](super::EndReason::Cancelled) when the
    /// token is cancelled. A turn in progress is dropped.
    pub fn cancel_with(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// Returns read access to the conversation, also while it is played.
    pub fn observer(&mut self) -> Observer {
        let max_messages = self.settings.max_messages;
        self.observer.get_or_insert_with(|| Observer::new(max_messages)).clone()
    }

    /// Returns the clock that the settings name. Otherwise, it depends on who takes part.
    fn clock(&self) -> Clock {
        let default = || if self.is_external() { Clock::Real } else { Clock::Virtual };
        self.settings.clock.unwrap_or_else(default)
    }

    /// Returns `true` if a part of the conversation is outside of this process.
    fn is_external(&self) -> bool {
        let EndConditions { judge, goal, .. } = &self.settings.end_on;
        self.customer.participant.is_external()
            || self.agent.participant.is_external()
            || self.detector.as_ref().is_some_and(|detector| detector.is_external())
            || self.extractor.as_ref().is_some_and(|extractor| extractor.is_external())
            || [judge, goal].into_iter().flatten().any(|judge| judge.is_external())
    }

    fn side(&mut self, role: ParticipantRole) -> &mut Side {
        match role {
            ParticipantRole::Customer => &mut self.customer,
            ParticipantRole::Agent => &mut self.agent,
        }
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("id", &self.id).finish_non_exhaustive()
    }
}
