//! Test doubles of participants and detectors.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::{
    FutureExt,
    future::{self, BoxFuture},
};
use mynah::simulate::{
    Conversation, DetectorError, EndJudge, Intent, IntentExtractor, Outcome, OutcomeDetector,
    Outcomes, Participant, ParticipantError, Reply, Turn,
};

/// A participant that computes its replies, also outside of the process.
#[derive(Clone)]
pub struct Replies<F> {
    reply: F,
    intents: Vec<Intent>,
    is_external: bool,
}

impl<F> Replies<F>
where
    F: Fn(&Turn<'_>, &[Intent]) -> BoxFuture<'static, Result<Reply, ParticipantError>>
        + Clone
        + Send
        + 'static,
{
    pub fn new(reply: F) -> Self {
        Self { reply, intents: Vec::new(), is_external: false }
    }

    pub fn external(self, is_external: bool) -> Self {
        Self { is_external, ..self }
    }
}

impl<F> Participant for Replies<F>
where
    F: Fn(&Turn<'_>, &[Intent]) -> BoxFuture<'static, Result<Reply, ParticipantError>>
        + Clone
        + Send
        + 'static,
{
    fn reply<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Reply, ParticipantError>> {
        (self.reply)(&turn, &self.intents)
    }

    fn with_intent(&self, intent: &Intent) -> Box<dyn Participant> {
        let mut with_intent = self.clone();
        with_intent.intents.push(intent.clone());
        Box::new(with_intent)
    }

    fn is_external(&self) -> bool {
        self.is_external
    }
}

/// A detector that finds an outcome once the conversation has a number of messages.
#[derive(Clone)]
pub struct DetectsAt {
    pub messages: usize,
    pub outcome: Result<Outcome, DetectorError>,
    pub calls: Arc<AtomicUsize>,
}

impl DetectsAt {
    pub fn new(messages: usize, outcome: Outcome) -> Self {
        Self { messages, outcome: Ok(outcome), calls: Arc::default() }
    }

    pub fn failing(messages: usize, error: &str) -> Self {
        Self { messages, outcome: Err(DetectorError::new(error)), calls: Arc::default() }
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl OutcomeDetector for DetectsAt {
    fn detect<'a>(
        &'a self,
        conversation: &'a Conversation,
        _: &'a [Intent],
        _: &'a Outcomes,
    ) -> BoxFuture<'a, Result<Option<Outcome>, DetectorError>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let is_reached = conversation.messages.len() >= self.messages;
        let detected = if is_reached { self.outcome.clone().map(Some) } else { Ok(None) };
        future::ready(detected).boxed()
    }
}

/// Ends the conversation once it has a number of messages.
impl EndJudge for DetectsAt {
    fn is_reached<'a>(
        &'a self,
        conversation: &'a Conversation,
        _: &'a [Intent],
    ) -> BoxFuture<'a, Result<bool, DetectorError>> {
        let is_reached = conversation.messages.len() >= self.messages;
        future::ready(if is_reached { self.outcome.clone().map(|_| true) } else { Ok(false) })
            .boxed()
    }
}

/// An extractor that returns the same intent for every conversation.
pub struct AlwaysExtracts(pub Result<Option<Intent>, DetectorError>);

impl IntentExtractor for AlwaysExtracts {
    fn extract<'a>(
        &'a self,
        _: &'a Conversation,
    ) -> BoxFuture<'a, Result<Option<Intent>, DetectorError>> {
        future::ready(self.0.clone()).boxed()
    }
}
