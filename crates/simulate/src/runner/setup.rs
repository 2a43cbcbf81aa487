//! What a runner plays.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{
    Clock, EndConditions, RunnerSettings,
    progress::{EventHandler, Observer},
};
use crate::{
    Intent, IntentExtractor, MessageDraft, OutcomeDetector, Outcomes, Participant, ParticipantRole,
};

/// What a runner plays.
pub(super) struct Setup {
    pub(super) id: String,
    pub(super) customer: Side,
    pub(super) agent: Side,
    pub(super) initial_message: MessageDraft,
    pub(super) intents: Vec<Intent>,
    pub(super) extractor: Option<Arc<dyn IntentExtractor>>,
    pub(super) outcomes: Arc<Outcomes>,
    pub(super) detector: Option<Arc<dyn OutcomeDetector>>,
    pub(super) settings: RunnerSettings,
    pub(super) handler: Option<EventHandler>,
    pub(super) observer: Option<Observer>,
    pub(super) cancel: CancellationToken,
}

/// A participant, and what belongs to it.
pub(super) struct Side {
    pub(super) participant: Box<dyn Participant>,
    /// Those that were given.
    pub(super) intents: Vec<Intent>,
    /// The number of its turns so far.
    pub(super) turns: usize,
}

impl Setup {
    /// Returns the clock that the settings name. Otherwise, it depends on who takes part.
    pub(super) fn clock(&self) -> Clock {
        let default = || match self.is_external() {
            true => Clock::Real,
            false => Clock::Virtual,
        };
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

    pub(super) fn new(
        customer: Box<dyn Participant>,
        agent: Box<dyn Participant>,
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

    /// Sets the intents. Each participant gets its own.
    pub(super) fn intents(mut self, intents: Vec<Intent>) -> Self {
        for role in [ParticipantRole::Customer, ParticipantRole::Agent] {
            let own = intents.iter().filter(|intent| intent.role == role);
            self.side(role).intents = own.cloned().collect();
        }
        Self { intents, ..self }
    }

    pub(super) fn side(&mut self, role: ParticipantRole) -> &mut Side {
        match role {
            ParticipantRole::Customer => &mut self.customer,
            ParticipantRole::Agent => &mut self.agent,
        }
    }
}

impl Side {
    fn new(participant: Box<dyn Participant>) -> Self {
        Self { participant, intents: Vec::new(), turns: 0 }
    }
}
