//! Plays the turns of a conversation and applies what ends it.

use std::{fmt::Display, future::Future, mem, time::Duration};

use jiff::Timestamp;

use super::{
    BaseTimestamp, Detection, Event,
    progress::{Progress, progress_of},
    setup::Setup,
};
use crate::{
    base::clock::{self, Moment},
    simulate::{
        Conversation, ConversationResult, EndReason, Intent, MadeCall, Message, MessageDraft,
        Outcome, ParticipantRole, Reply, Turn, UnsentCall,
    },
};

/// Maximum number of outcomes that an error lists.
const MAX_LISTED: usize = 10;

/// A conversation that is being played.
pub(super) struct Play {
    setup: Setup,
    conversation: Conversation,
    /// Number of turns that each participant had.
    turns: Turns,
    /// The virtual time.
    now: Timestamp,
    started: Moment,
    /// How many messages may follow the outcome, once there is one.
    followups: Option<usize>,
    /// The number of messages from which the intent was inferred, if it was.
    inferred_from: Option<usize>,
}

#[derive(Default)]
struct Turns {
    customer: usize,
    agent: usize,
}

/// A participant or a detector failed.
struct Failure {
    reason: EndReason,
    error: String,
}

impl Play {
    pub(super) fn new(setup: Setup) -> Self {
        let now = match setup.settings.base_timestamp {
            BaseTimestamp::At(time) => time,
            BaseTimestamp::Now => clock::timestamp(),
        };
        let (conversation, turns) = (Conversation::default(), Turns::default());
        let started = Moment::now();
        Self { setup, conversation, turns, now, started, followups: None, inferred_from: None }
    }

    pub(super) async fn run(mut self) -> ConversationResult {
        self.start();
        let cancel = self.setup.cancel.clone();
        let end = cancel.run_until_cancelled(self.play()).await;
        let (end_reason, error) = match end.unwrap_or(Ok(EndReason::Cancelled)) {
            Ok(reason) => (reason, None),
            Err(Failure { reason, error }) => (reason, Some(error)),
        };
        self.emit(Event::ConversationEnded(end_reason));
        let Self { setup, conversation, .. } = self;
        let duration = duration_of(&conversation);
        ConversationResult { conversation, duration, intents: setup.intents, end_reason, error }
    }

    fn start(&mut self) {
        let Setup { customer, agent, intents, observer, settings, .. } = &mut self.setup;
        for intent in &*intents {
            let participant = match intent.role {
                ParticipantRole::Customer => &mut *customer,
                ParticipantRole::Agent => &mut *agent,
            };
            *participant = participant.with_intent(intent);
        }
        if let Some(observer) = observer {
            observer.set_max_messages(settings.max_messages);
            observer.start(self.started);
        }
    }

    async fn play(&mut self) -> Result<EndReason, Failure> {
        let end = self.take_turns().await?;
        if end != EndReason::Cancelled {
            if self.setup.settings.detection == Detection::End {
                self.detect().await?;
            }
            self.infer_final_intent().await?;
        }
        Ok(end)
    }

    async fn take_turns(&mut self) -> Result<EndReason, Failure> {
        let initial = self.take_initial_message();
        let mut speaker = initial.sender;
        self.turns.next(speaker);
        self.add(initial);
        let mut passed = false;
        while !self.is_full() {
            speaker = speaker.other();
            // Lets other tasks run, because in-process participants may never wait.
            tokio::task::consume_budget().await;
            if self.setup.cancel.is_cancelled() {
                return Ok(EndReason::Cancelled);
            }
            let unsent = self.conversation.unsent_calls.len();
            let drafts = self.ask(speaker).await?;
            if drafts.is_empty() {
                if self.conversation.unsent_calls.len() > unsent
                    && let Some(end) = self.detect_outcome().await?
                {
                    return Ok(end);
                }
                if mem::replace(&mut passed, true) {
                    return Ok(EndReason::BothPassed);
                }
                continue;
            }
            passed = false;
            for draft in drafts {
                if let Some(end) = self.send(draft).await? {
                    return Ok(end);
                }
            }
        }
        Ok(EndReason::MaxMessages)
    }

    fn take_initial_message(&mut self) -> MessageDraft {
        let sender = self.setup.initial_message.sender;
        let empty = MessageDraft::new(sender, "");
        let initial = mem::replace(&mut self.setup.initial_message, empty);
        MessageDraft { typing: Duration::ZERO, ..initial }
    }

    /// Asks a participant for messages, and keeps the calls of those without text. The messages have
    /// text and the right sender. There are none if the participant passes.
    async fn ask(&mut self, role: ParticipantRole) -> Result<Vec<MessageDraft>, Failure> {
        let number = self.turns.next(role);
        let Setup { id, customer, agent, settings, .. } = &mut self.setup;
        let participant = match role {
            ParticipantRole::Customer => customer,
            ParticipantRole::Agent => agent,
        };
        let (conversation, now) = (&self.conversation, self.now);
        let limit = participant.is_external().then_some(settings.message_timeout);
        let reply = participant.reply(Turn { conversation_id: id, conversation, number, now });
        let Some(reply) = within(limit, reply).await else {
            let limit = settings.message_timeout;
            return Err(Failure::of_participant(role, format!("no reply within {limit:?}")));
        };
        let drafts = match reply {
            Ok(Reply::Pass) => return Ok(Vec::new()),
            Ok(Reply::Messages(drafts)) => drafts,
            Err(error) => {
                let (error, calls) = error.into_parts();
                self.keep_unsent(role, calls);
                return Err(Failure::of_participant(role, error));
            }
        };
        if let Some(wrong) = drafts.iter().find(|draft| draft.sender != role) {
            let error = format!("sent a message as {}; expected {role}", wrong.sender);
            return Err(Failure::of_participant(role, error));
        }
        let (sent, unsent): (_, Vec<_>) =
            drafts.into_iter().partition(|draft| !draft.content.trim().is_empty());
        self.keep_unsent(role, unsent.into_iter().flat_map(|draft| draft.tool_calls));
        Ok(sent)
    }

    /// Keeps the calls for which no message is sent.
    fn keep_unsent(&mut self, sender: ParticipantRole, calls: impl IntoIterator<Item = MadeCall>) {
        let Conversation { messages, unsent_calls, .. } = &mut self.conversation;
        let messages_before = messages.len();
        let unsent = |call| UnsentCall { sender, messages_before, call };
        unsent_calls.extend(calls.into_iter().map(unsent));
    }

    /// Sends a message. Returns the reason if the conversation ends.
    async fn send(&mut self, draft: MessageDraft) -> Result<Option<EndReason>, Failure> {
        let timeout = self.setup.settings.end_on.timeout;
        if timeout.is_some_and(|limit| draft.typing > limit) {
            self.keep_unsent(draft.sender, draft.tool_calls);
            return Ok(Some(EndReason::Timeout));
        }
        self.add(draft);
        if let Some(end) = self.check_outcome().await? {
            return Ok(Some(end));
        }
        if let Some(end) = self.check_end_conditions().await? {
            return Ok(Some(end));
        }
        Ok(self.is_full().then_some(EndReason::MaxMessages))
    }

    /// Adds a message to the conversation and advances the time.
    fn add(&mut self, draft: MessageDraft) {
        let MessageDraft { content, sender, tool_calls, typing } = draft;
        self.now = self.now.checked_add(typing).unwrap_or(Timestamp::MAX);
        let message = Message { content, timestamp: self.now, sender, tool_calls };
        self.conversation.messages.push(message);
        self.emit(Event::MessageAdded);
    }

    fn is_full(&self) -> bool {
        self.conversation.messages.len() >= self.setup.settings.max_messages
    }

    /// Detects an outcome or counts the messages after it.
    async fn check_outcome(&mut self) -> Result<Option<EndReason>, Failure> {
        if let Some(left) = &mut self.followups {
            *left = left.saturating_sub(1);
            return Ok((*left == 0).then_some(EndReason::OutcomeFollowup));
        }
        self.detect_outcome().await
    }

    /// Detects an outcome, unless there is one or it is detected at the end.
    async fn detect_outcome(&mut self) -> Result<Option<EndReason>, Failure> {
        let settings = &self.setup.settings;
        let (detection, allowed) = (settings.detection, settings.max_messages_after_outcome);
        if self.followups.is_none() && detection == Detection::Each && self.detect().await? {
            self.followups = Some(allowed);
            return Ok((allowed == 0).then_some(EndReason::Outcome));
        }
        Ok(None)
    }

    async fn check_end_conditions(&mut self) -> Result<Option<EndReason>, Failure> {
        let end_on = &self.setup.settings.end_on;
        let content = self.conversation.last_message().map_or("", |message| &message.content);
        if end_on.patterns.iter().any(|pattern| pattern.is_match(content)) {
            return Ok(Some(EndReason::Pattern));
        }
        if let Some(judge) = &end_on.judge {
            let judged = judge.is_reached(&self.conversation, &self.setup.intents).await;
            if judged.map_err(Failure::of_detector)? {
                return Ok(Some(EndReason::Judged));
            }
        }
        if let Some(goal) = end_on.goal.clone() {
            self.infer_early_intent().await?;
            let reached = goal.is_reached(&self.conversation, &self.setup.intents).await;
            if reached.map_err(Failure::of_detector)? {
                return Ok(Some(EndReason::Goal));
            }
        }
        Ok(None)
    }

    /// Runs the detector. Returns `true` if it finds an outcome.
    async fn detect(&mut self) -> Result<bool, Failure> {
        let Some(detector) = self.setup.detector.clone() else { return Ok(false) };
        if detector.uses_intents() {
            self.infer_early_intent().await?;
        }
        let Setup { intents, outcomes, .. } = &self.setup;
        let detected = detector.detect(&self.conversation, intents, outcomes).await;
        let Some(outcome) = detected.map_err(Failure::of_detector)? else { return Ok(false) };
        let Some(declared) = outcomes.get(&outcome.name) else {
            return Err(Failure::of_detector(self.undeclared(&outcome)));
        };
        self.conversation.outcome = Some(declared.clone());
        self.emit(Event::OutcomeDetected);
        Ok(true)
    }

    fn undeclared(&self, outcome: &Outcome) -> String {
        let names = self.setup.outcomes.iter().map(|declared| format!("{:?}", declared.name));
        let listed: Vec<_> = names.take(MAX_LISTED).collect();
        let declared = if listed.is_empty() { "none".to_owned() } else { listed.join(", ") };
        format!("the outcome {:?} is not declared; declared: {declared}", outcome.name)
    }

    /// Infers the intent before the end, once.
    async fn infer_early_intent(&mut self) -> Result<(), Failure> {
        if self.inferred_from.is_some() { Ok(()) } else { self.infer_intent().await }
    }

    /// Infers the intent at the end, unless it was inferred from the same messages.
    async fn infer_final_intent(&mut self) -> Result<(), Failure> {
        let is_complete = self.inferred_from == Some(self.conversation.messages.len());
        if is_complete { Ok(()) } else { self.infer_intent().await }
    }

    /// Infers the intent if none is known.
    async fn infer_intent(&mut self) -> Result<(), Failure> {
        let Setup { extractor: Some(extractor), intents, .. } = &mut self.setup else {
            return Ok(());
        };
        if intents.is_empty() {
            let intent: Option<Intent> =
                extractor.extract(&self.conversation).await.map_err(Failure::of_detector)?;
            intents.extend(intent);
            self.inferred_from = Some(self.conversation.messages.len());
        }
        Ok(())
    }

    fn emit(&mut self, event: Event) {
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
        progress_of(&self.conversation, max_messages, Some(self.started), is_complete)
    }
}

impl Turns {
    /// Starts a turn. Returns the number of turns before it.
    fn next(&mut self, role: ParticipantRole) -> usize {
        let turns = match role {
            ParticipantRole::Customer => &mut self.customer,
            ParticipantRole::Agent => &mut self.agent,
        };
        *turns += 1;
        *turns - 1
    }
}

impl Failure {
    fn of_participant(role: ParticipantRole, error: impl Display) -> Self {
        Self { reason: EndReason::ParticipantError, error: format!("{role}: {error}") }
    }

    fn of_detector(error: impl Display) -> Self {
        Self { reason: EndReason::DetectorError, error: error.to_string() }
    }
}

/// Returns the output of `work`, or `None` if there is a limit and the work takes longer.
async fn within<F: Future>(limit: Option<Duration>, work: F) -> Option<F::Output> {
    match limit {
        Some(limit) => clock::within(limit, work).await,
        None => Some(work.await),
    }
}

/// Returns the virtual time from the first to the last message.
fn duration_of(conversation: &Conversation) -> Duration {
    match conversation.messages.as_slice() {
        [first, .., last] => last.timestamp.duration_since(first.timestamp).unsigned_abs(),
        _ => Duration::ZERO,
    }
}
