//! Test doubles of participants and detectors.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream,
};
use mynah::chat::{Request, Response, Role};
use mynah::provider::{Answering, CallContext, Provider};
use mynah::simulate::{
    Conversation, DetectorError, EndJudge, Intent, IntentExtractor, Outcome, OutcomeDetector,
    Outcomes, Participant, ParticipantError, Reply, Turn,
};

/// A participant that computes its replies, also outside of the process.
#[derive(Clone)]
pub struct Replies<F> {
    reply: F,
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
        Self { reply, is_external: false }
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
        (self.reply)(&turn, turn.intents)
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

/// An extractor that finds no intent. It records the number of messages in each conversation.
#[derive(Clone, Default)]
pub struct NeverExtracts(pub Arc<Mutex<Vec<usize>>>);

impl IntentExtractor for NeverExtracts {
    fn extract<'a>(
        &'a self,
        conversation: &'a Conversation,
    ) -> BoxFuture<'a, Result<Option<Intent>, DetectorError>> {
        self.0.lock().unwrap().push(conversation.messages.len());
        future::ready(Ok(None)).boxed()
    }
}

impl IntentExtractor for AlwaysExtracts {
    fn extract<'a>(
        &'a self,
        _: &'a Conversation,
    ) -> BoxFuture<'a, Result<Option<Intent>, DetectorError>> {
        future::ready(self.0.clone()).boxed()
    }
}

/// A model that gives one answer after the other, and then `none`. It records its requests.
#[derive(Default)]
pub struct RecordingModel {
    answers: Vec<&'static str>,
    requests: Mutex<Vec<RecordedRequest>>,
}

/// The session and the messages of a request.
type RecordedRequest = (Option<Arc<str>>, Vec<String>);

impl RecordingModel {
    pub fn new(answers: &[&'static str]) -> Arc<Self> {
        Arc::new(Self { answers: answers.to_vec(), ..Self::default() })
    }

    /// Returns the messages of each request, such as `user: hello`.
    pub fn requests(&self) -> Vec<Vec<String>> {
        self.requests.lock().unwrap().iter().map(|(_, messages)| messages.clone()).collect()
    }

    /// Returns the session of each request.
    pub fn sessions(&self) -> Vec<Option<Arc<str>>> {
        self.requests.lock().unwrap().iter().map(|(session, _)| session.clone()).collect()
    }
}

impl Provider for RecordingModel {
    fn answer(self: Arc<Self>, request: Arc<Request>, context: CallContext) -> Answering {
        let text = |message: &mynah::chat::Message| {
            let role = match &message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant { .. } => "assistant",
                Role::Tool { .. } => "tool",
                role => panic!("unexpected role: {role:?}"),
            };
            format!("{role}: {}", message.text())
        };
        let mut requests = self.requests.lock().unwrap();
        let answer = self.answers.get(requests.len()).copied().unwrap_or("none");
        requests.push((context.session, request.messages.iter().map(text).collect()));
        Response { content: answer.to_owned(), ..Response::default() }.into()
    }
}

/// A model that never answers.
pub struct NeverAnswers;

impl Provider for NeverAnswers {
    fn answer(self: Arc<Self>, _: Arc<Request>, _: CallContext) -> Answering {
        Answering::Pieces(stream::pending().boxed())
    }
}
