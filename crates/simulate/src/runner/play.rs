//! A conversation that is being played.

use std::{fmt::Display, future::Future, mem, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use mynah_core::base::{
    clock::{self, Moment},
    panics,
};

use super::{Detection, Event, Runner, Side, progress::progress_of, time::Time};
use crate::{
    Conversation, ConversationResult, EndReason, MadeCall, MessageDraft, ParticipantError,
    ParticipantRole, Reply, SentMessage, Turn, UnsentCall,
};

/// A conversation that is being played.
pub(super) struct Play {
    pub(super) runner: Runner,
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

impl Runner {
    /// Plays the conversation.
    ///
    /// This does not fail: if a participant or a detector fails or panics, the result has the messages
    /// so far, the [end reason](crate::EndReason) and the error.
    pub async fn run(self) -> ConversationResult {
        let time = Time::start(self.clock(), self.settings.base_timestamp);
        let conversation = Conversation::default();
        let play = Play { runner: self, conversation, time, followups: None, inferred_from: None };
        play.run().await
    }
}

impl Play {
    fn take_initial_message(&mut self) -> MessageDraft {
        let sender = self.runner.initial_message.sender;
        let empty = MessageDraft::new(sender, "");
        let initial = mem::replace(&mut self.runner.initial_message, empty);
        MessageDraft { typing: Duration::ZERO, ..initial }
    }

    /// Keeps the calls for which no message is sent.
    fn keep_unsent(&mut self, sender: ParticipantRole, calls: impl IntoIterator<Item = MadeCall>) {
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

    fn is_full(&self) -> bool {
        self.conversation.messages.len() >= self.runner.settings.max_messages
    }

    pub(super) fn emit(&mut self, event: Event) {
        if let Some(observer) = &self.runner.observer {
            observer.update(event, &self.conversation);
        }
        if let Some(mut handler) = self.runner.handler.take() {
            let is_complete = matches!(event, Event::ConversationEnded(_));
            let (max, started) = (self.runner.settings.max_messages, Some(self.time.started));
            let progress = progress_of(&self.conversation, max, started, is_complete);
            handler(event, &self.conversation, &progress);
            self.runner.handler = Some(handler);
        }
    }
}

impl Failure {
    fn of_participant(role: ParticipantRole, error: impl Display) -> Self {
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

impl Play {
    pub(super) async fn run(mut self) -> ConversationResult {
        let Runner { observer, settings, cancel, .. } = &self.runner;
        if let Some(observer) = observer {
            observer.start(settings.max_messages, self.time.started);
        }
        let cancel = cancel.clone();
        let end = cancel.run_until_cancelled(self.play()).await;
        let (end_reason, error) = match end.unwrap_or(Ok(EndReason::Cancelled)) {
            Ok(reason) => (reason, None),
            Err(Failure { reason, error }) => (reason, Some(error)),
        };
        self.emit(Event::ConversationEnded(end_reason));
        let Self { runner, conversation, time, .. } = self;
        let (duration, clock) = (duration_of(&conversation), time.clock);
        let intents = runner.intents;
        ConversationResult { conversation, duration, clock, intents, end_reason, error }
    }

    async fn play(&mut self) -> Result<EndReason, Failure> {
        let end = self.take_turns().await?;
        if end != EndReason::Cancelled {
            if self.runner.settings.detection == Detection::End {
                self.detect().await?;
            }
            self.infer_final_intent().await?;
        }
        Ok(end)
    }

    async fn take_turns(&mut self) -> Result<EndReason, Failure> {
        let initial = self.take_initial_message();
        let mut speaker = initial.sender;
        self.runner.side(speaker).turns += 1;
        self.add(initial).await;
        let mut passed = false;
        while !self.is_full() {
            speaker = speaker.other();
            // Lets other tasks run, because in-process participants may never wait.
            tokio::task::consume_budget().await;
            if self.runner.cancel.is_cancelled() {
                return Ok(EndReason::Cancelled);
            }
            let unsent = self.conversation.unsent_calls.len();
            let Some(drafts) = self.ask(speaker).await? else { return Ok(EndReason::Timeout) };
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

    /// Asks a participant for messages, and keeps the calls of those without text. The messages have
    /// text and the right sender. There are none if the participant passes. Returns `None` if the
    /// silence lasts too long.
    async fn ask(&mut self, role: ParticipantRole) -> Result<Option<Vec<MessageDraft>>, Failure> {
        let Some(reply) = self.reply(role).await? else { return Ok(None) };
        let drafts = match reply {
            Ok(Reply::Pass) => return Ok(Some(Vec::new())),
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
        Ok(Some(sent))
    }

    /// Returns the reply of a participant, or `None` if the silence lasts too long.
    async fn reply(
        &mut self,
        role: ParticipantRole,
    ) -> Result<Option<Result<Reply, ParticipantError>>, Failure> {
        let (now, began) = (self.time.now(), Moment::now());
        let Runner { id, customer, agent, settings, .. } = &mut self.runner;
        let Side { participant, intents, turns } = match role {
            ParticipantRole::Customer => customer,
            ParticipantRole::Agent => agent,
        };
        let (number, conversation) = (*turns, &self.conversation);
        *turns += 1;
        let turn = Turn { conversation_id: id, conversation, intents, number, now };
        let limit = participant.is_external().then_some(settings.message_timeout);
        let silence = self.time.turn_limit(settings.end_on.timeout);
        // `None` is less than any limit.
        let shorter = [limit, silence].into_iter().flatten().min();
        let reply = within(shorter, catch_panic(async { participant.reply(turn).await })).await;
        self.time.end_turn(began);
        match reply {
            Some(Ok(reply)) => Ok(Some(reply)),
            Some(Err(panicked)) => Err(Failure::of_participant(role, panicked)),
            None if shorter == silence => Ok(None),
            None => {
                let limit = limit.unwrap_or_default();
                Err(Failure::of_participant(role, format!("no reply within {limit:?}")))
            }
        }
    }

    /// Sends a message. Returns the reason if the conversation ends.
    async fn send(&mut self, draft: MessageDraft) -> Result<Option<EndReason>, Failure> {
        let silence = self.time.silence_left(self.runner.settings.end_on.timeout);
        if silence.is_some_and(|limit| draft.typing > limit) {
            self.keep_unsent(draft.sender, draft.tool_calls);
            return Ok(Some(EndReason::Timeout));
        }
        self.add(draft).await;
        if let Some(end) = self.check_outcome().await? {
            return Ok(Some(end));
        }
        if let Some(end) = self.check_end_conditions().await? {
            return Ok(Some(end));
        }
        Ok(self.is_full().then_some(EndReason::MaxMessages))
    }
}

/// Returns the output of `work`, or `None` if there is a limit and the work takes longer.
async fn within<F: Future>(limit: Option<Duration>, work: F) -> Option<F::Output> {
    match limit {
        Some(limit) => clock::within(limit, work).await,
        None => Some(work.await),
    }
}

/// Returns the time from the first to the last message.
fn duration_of(conversation: &Conversation) -> Duration {
    match conversation.messages.as_slice() {
        [first, .., last] => last.timestamp.duration_since(first.timestamp).unsigned_abs(),
        _ => Duration::ZERO,
    }
}
