//! What a runner plays.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{
    RunnerSettings,
    progress::{EventHandler, Observer},
};
use crate::simulate::{
    Intent, IntentExtractor, MessageDraft, OutcomeDetector, Outcomes, Participant,
};

/// What a runner plays.
pub(super) struct Setup {
    pub(super) id: String,
    pub(super) customer: Box<dyn Participant>,
    pub(super) agent: Box<dyn Participant>,
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

impl Setup {
    pub(super) fn new(
        customer: Box<dyn Participant>,
        agent: Box<dyn Participant>,
        initial_message: MessageDraft,
    ) -> Self {
        Self {
            id: String::new(),
            customer,
            agent,
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
}
