//! Plays the turns of a conversation.

use std::{future::Future, mem, time::Duration};

use mynah_core::base::clock::{self, Moment};

use super::{
    Detection, Event,
    setup::{Setup, Side},
    state::{Failure, Play, catch_panic},
};
use crate::{
    Conversation, ConversationResult, EndReason, MessageDraft, ParticipantError, ParticipantRole,
    Reply, Turn,
};

impl Play {
    pub(super) async fn run(mut self) -> ConversationResult {
        let Setup { observer, settings, cancel, .. } = &self.setup;
        if let Some(observer) = observer {
            observer.set_max_messages(settings.max_messages);
            observer.start(self.time.started());
        }
        let cancel = cancel.clone();
        let end = cancel.run_until_cancelled(self.play()).await;
        let (end_reason, error) = match end.unwrap_or(Ok(EndReason::Cancelled)) {
            Ok(reason) => (reason, None),
            Err(Failure { reason, error }) => (reason, Some(error)),
        };
        self.emit(Event::ConversationEnded(end_reason));
        let Self { setup, conversation, time, .. } = self;
        let (duration, clock) = (duration_of(&conversation), time.clock());
        let intents = setup.intents;
        ConversationResult { conversation, duration, clock, intents, end_reason, error }
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
        self.setup.side(speaker).turns += 1;
        self.add(initial).await;
        let mut passed = false;
        while !self.is_full() {
            speaker = speaker.other();
            // Lets other tasks run, because in-process participants may never wait.
            tokio::task::consume_budget().await;
            if self.setup.cancel.is_cancelled() {
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
        let Setup { id, customer, agent, settings, .. } = &mut self.setup;
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
        let silence = self.time.silence_left(self.setup.settings.end_on.timeout);
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
