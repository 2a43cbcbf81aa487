//! The turns of a run.

use std::sync::Arc;

use mynah_core::{
    base::{
        clock::within,
        memory::{MemoryExhausted, Reservation},
    },
    chat::{Message, Response, ToolCall, ToolChoice, Usage},
    provider::CallContext,
};

use super::{
    CallRecord, LoopEnd, LoopEvent, LoopResult,
    batch::{PlannedCall, Scope},
    budget::StallDetector,
    result::SEPARATOR,
    start::RunStart,
    transcript::{ToolTurn, Verdict},
};

/// The state of a run.
pub(super) struct Turns<'t> {
    pub(super) scope: Scope<'t>,
    /// The context of the call that is charged for the run.
    pub(super) charged: CallContext,
    /// The memory of the last answer.
    pub(super) answer: Reservation,
    pub(super) start: RunStart,
    pub(super) stall: StallDetector,
    /// The size of all texts, arguments and results.
    pub(super) bytes: usize,
    /// The result so far, without the transcript.
    pub(super) result: LoopResult,
}

impl Turns<'_> {
    /// Runs turns until the run ends.
    pub(super) async fn run_to_end(mut self) -> LoopResult {
        let end = loop {
            if let Err(end) = self.turn().await {
                break end;
            }
        };
        tracing::debug!(end = end.as_str(), turns = self.result.turns, "tool loop ended");
        let transcript = Arc::unwrap_or_clone(self.start.request).messages;
        LoopResult { transcript, end, ..self.result }
    }

    /// Requests an answer and runs its calls. Returns the end reason as an error if this was the last
    /// turn.
    async fn turn(&mut self) -> Result<(), LoopEnd> {
        let limit = self.scope.tools.settings.model_timeout;
        let answer = within(limit, self.scope.model.ask(&self.start.request));
        let answer = self.scope.stop.run_until_stopped(answer).await?.ok_or(LoopEnd::Budget)?;
        let response = answer.map_err(LoopEnd::ModelError)?;
        self.answer = self.charged.reservation();
        self.answer.grow(response.size()).await.map_err(|error| self.exhausted(error))?;
        self.result.turns += 1;
        self.scope.context.turn = self.result.turns;
        self.keep_reasoning(&response.reasoning).await?;
        let (text, calls) = self.accept(response);
        if calls.is_empty() {
            self.append_turn(text, Vec::new()).await?;
            return Err(LoopEnd::Answered);
        }
        let is_stalled = self.is_stalled(&calls);
        if is_stalled {
            self.scope.budget.exhaust();
        }
        let (batch, end) = self.scope.plan(calls, &self.start.caller_tools);
        let end = if is_stalled { Some(LoopEnd::Stalled) } else { end };
        let (records, stopped) = self.scope.run_batch(&batch).await;
        let executed = records.iter().filter(|record| record.outcome.ran()).count();
        self.scope.model.emit(|| LoopEvent::ToolsFinished { turn: self.result.turns, executed });
        self.record_calls(&batch, &records);
        self.append_turn(text, records).await?;
        batch.iter().for_each(PlannedCall::leave_memory);
        stopped.or(end).or_else(|| self.limit()).map_or(Ok(()), Err)
    }

    /// Returns the limit that the run has reached.
    fn limit(&self) -> Option<LoopEnd> {
        let settings = &self.scope.tools.settings;
        if self.result.turns >= settings.max_turns {
            return Some(LoopEnd::MaxTurns);
        }
        (self.bytes > settings.max_bytes).then_some(LoopEnd::Budget)
    }

    /// Stores an answer and returns its text and calls.
    fn accept(&mut self, response: Response) -> (String, Vec<(ToolCall, Verdict)>) {
        // A tool choice that demands a call in every turn would never let the model answer.
        let choice = &mut Arc::make_mut(&mut self.start.request).tool_choice;
        if *choice != ToolChoice::None {
            *choice = ToolChoice::Auto;
        }
        self.result.usage = add(self.result.usage, response.usage);
        let mut response =
            self.scope.tools.settings.rendering.read(response, &self.scope.tools.reader);
        self.start.ids.assign(&mut response.tool_calls);
        let is_repeatable = |name: &str| self.scope.tools.is_repeatable(name);
        let verdicts = self.start.duplicates.check(&response.tool_calls, is_repeatable);
        let calls = response.tool_calls.iter().cloned().zip(verdicts).collect();
        let text = response.content.clone();
        self.result.response = Some(response);
        (text, calls)
    }

    /// Adds the reasoning of a turn to that of earlier ones. Fails if there is no memory for it.
    async fn keep_reasoning(&mut self, reasoning: &str) -> Result<(), LoopEnd> {
        if reasoning.is_empty() {
            return Ok(());
        }
        let all = &mut self.result.reasoning;
        if !all.is_empty() {
            all.push_str(SEPARATOR);
        }
        all.push_str(reasoning);
        self.bytes += reasoning.len();
        self.reserve(reasoning.len()).await
    }

    /// Returns `true` if the model keeps making the same calls and not all of them are repeatable.
    fn is_stalled(&mut self, calls: &[(ToolCall, Verdict)]) -> bool {
        let keys = calls.iter().map(|(_, verdict)| verdict.key.clone()).collect();
        let all_repeatable =
            || calls.iter().all(|(call, _)| self.scope.tools.is_repeatable(&call.name));
        self.stall.record(keys) >= self.scope.tools.settings.stalled_after && !all_repeatable()
    }

    fn record_calls(&mut self, batch: &[PlannedCall<'_>], records: &[CallRecord]) {
        for (planned, CallRecord { outcome, .. }) in batch.iter().zip(records) {
            if outcome.counts_for_duplicates() {
                self.start.duplicates.record(planned.key.clone(), outcome.is_success());
            }
        }
    }

    /// Appends a turn to the history. Fails if there is no memory for it.
    async fn append_turn(&mut self, text: String, calls: Vec<CallRecord>) -> Result<(), LoopEnd> {
        let size = text.len() + calls.iter().map(CallRecord::size).sum::<usize>();
        self.reserve(size).await?;
        let turn = ToolTurn { number: self.result.turns, text, calls };
        let messages = self.scope.tools.settings.rendering.messages(&turn);
        self.bytes += messages.iter().map(Message::size).sum::<usize>();
        Arc::make_mut(&mut self.start.request).messages.extend(messages);
        self.result.calls.extend(turn.calls);
        Ok(())
    }

    /// Charges the call for what the run keeps. Fails if there is no memory for it.
    async fn reserve(&self, bytes: usize) -> Result<(), LoopEnd> {
        self.charged.reserve(bytes).await.map_err(|error| self.exhausted(error))
    }

    fn exhausted(&self, error: MemoryExhausted) -> LoopEnd {
        LoopEnd::ModelError(self.charged.exhausted(error).into())
    }
}

fn add(sum: Option<Usage>, turn: Option<Usage>) -> Option<Usage> {
    let (Some(sum), Some(turn)) = (sum, turn) else { return sum.or(turn) };
    Some(Usage {
        prompt_tokens: sum.prompt_tokens.saturating_add(turn.prompt_tokens),
        completion_tokens: sum.completion_tokens.saturating_add(turn.completion_tokens),
        reasoning_tokens: sum.reasoning_tokens.saturating_add(turn.reasoning_tokens),
        cached_tokens: sum.cached_tokens.saturating_add(turn.cached_tokens),
    })
}
