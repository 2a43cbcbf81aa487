//! The turns of a run.

use std::sync::Arc;

use super::{
    CallRecord, EndReason, LoopEvent, LoopResult, ToolContext,
    batch::PlannedCall,
    budget::CallBudget,
    caller_tools::CallerTools,
    ids::CallIds,
    model::Model,
    stall::StallDetector,
    start::RunStart,
    stop::StopSignal,
    toolset::Toolset,
    transcript::{DuplicateDetector, Turn, Verdict},
};
use crate::{
    base::clock::within,
    chat::{Message, Request, Response, ToolCall, ToolChoice, Usage},
    provider::{CallContext, ProviderError},
};

/// The state of a run.
pub(super) struct Turns<'l> {
    tools: &'l Toolset,
    model: Model,
    stop: StopSignal,
    context: ToolContext,
    /// Shared with the model only while the model answers, so the history is never copied.
    request: Arc<Request>,
    ids: CallIds,
    duplicates: DuplicateDetector,
    caller_tools: CallerTools,
    /// The context of the call that is charged for the run.
    charged: CallContext,
    budget: CallBudget,
    stall: StallDetector,
    response: Option<Response>,
    /// The token usage of all turns.
    usage: Option<Usage>,
    /// The size of all texts, arguments and results.
    bytes: usize,
    calls: Vec<CallRecord>,
    turns: u32,
}

impl<'l> Turns<'l> {
    pub(super) fn new(
        tools: &'l Toolset,
        model: Model,
        charged: CallContext,
        start: RunStart,
        stop: StopSignal,
        context: ToolContext,
    ) -> Self {
        let RunStart { request, caller_tools, ids, duplicates } = start;
        let settings = &tools.settings;
        Self {
            budget: CallBudget::new(settings.max_calls),
            stall: StallDetector::new(settings.stalled_after),
            request: Arc::new(request),
            ids,
            duplicates,
            caller_tools,
            charged,
            tools,
            model,
            stop,
            context,
            response: None,
            usage: None,
            bytes: 0,
            calls: Vec::new(),
            turns: 0,
        }
    }

    /// Runs turns until the run ends.
    pub(super) async fn run_to_end(mut self) -> LoopResult {
        let end = loop {
            if let Some(end) = self.turn().await {
                break end;
            }
        };
        tracing::debug!(end = end.as_str(), turns = self.turns, "tool loop ended");
        LoopResult {
            response: self.response,
            transcript: Arc::unwrap_or_clone(self.request).messages,
            calls: self.calls,
            turns: self.turns,
            usage: self.usage,
            end,
        }
    }

    /// Requests an answer and runs its calls. Returns the end reason if this was the last turn.
    async fn turn(&mut self) -> Option<EndReason> {
        let answer = within(self.tools.settings.model_timeout, self.model.ask(&self.request));
        let response = match self.stop.run_until_stopped(answer).await {
            Ok(Some(Ok(response))) => response,
            Ok(Some(Err(error))) => return Some(EndReason::ModelError(error)),
            Ok(None) => return Some(EndReason::Budget),
            Err(end) => return Some(end),
        };
        self.turns += 1;
        self.context.turn = self.turns;
        let (text, calls) = self.accept(response);
        if calls.is_empty() {
            let appended = self.append_turn(text, Vec::new()).await;
            return Some(appended.map_or_else(EndReason::ModelError, |()| EndReason::Answered));
        }
        let is_stalled = self.is_stalled(&calls);
        if is_stalled {
            self.budget.exhaust();
        }
        let (batch, end) = self.tools.plan(calls, &mut self.budget, &self.caller_tools);
        let end = if is_stalled { Some(EndReason::Stalled) } else { end };
        let (records, stopped) =
            self.tools.run_batch(&batch, &self.model, &self.stop, &self.context).await;
        let executed = records.iter().filter(|record| record.outcome.ran()).count();
        self.model.emit(|| LoopEvent::ToolsFinished { turn: self.turns, executed });
        self.record_calls(&batch, &records);
        if let Err(error) = self.append_turn(text, records).await {
            return Some(EndReason::ModelError(error));
        }
        stopped.or(end).or_else(|| self.limit())
    }

    /// Returns the limit that the run has reached.
    fn limit(&self) -> Option<EndReason> {
        let settings = &self.tools.settings;
        if self.turns >= settings.max_turns {
            return Some(EndReason::MaxTurns);
        }
        (self.bytes > settings.max_bytes).then_some(EndReason::Budget)
    }

    /// Stores an answer and returns its text and calls.
    fn accept(&mut self, response: Response) -> (String, Vec<(ToolCall, Verdict)>) {
        // A tool choice that demands a call in every turn would never let the model answer.
        let choice = &mut Arc::make_mut(&mut self.request).tool_choice;
        if *choice != ToolChoice::None {
            *choice = ToolChoice::Auto;
        }
        self.usage = add(self.usage, response.usage);
        let mut response = self.tools.read_calls(response);
        self.ids.assign(&mut response.tool_calls);
        let is_repeatable = |name: &str| self.tools.is_repeatable(name);
        let verdicts = self.duplicates.check(&response.tool_calls, is_repeatable);
        let calls = response.tool_calls.iter().cloned().zip(verdicts).collect();
        let text = response.content.clone();
        self.response = Some(response);
        (text, calls)
    }

    /// Returns `true` if the model keeps making the same calls and not all of them are repeatable.
    fn is_stalled(&mut self, calls: &[(ToolCall, Verdict)]) -> bool {
        let keys = calls.iter().map(|(_, verdict)| verdict.key.clone()).collect();
        let all_repeatable = || calls.iter().all(|(call, _)| self.tools.is_repeatable(&call.name));
        self.stall.record(keys) && !all_repeatable()
    }

    fn record_calls(&mut self, batch: &[PlannedCall<'_>], records: &[CallRecord]) {
        for (planned, CallRecord { outcome, .. }) in batch.iter().zip(records) {
            if outcome.counts_for_duplicates() {
                self.duplicates.record(planned.key.clone(), outcome.is_success());
            }
        }
    }

    /// Appends a turn to the history. Fails if there is no memory for it.
    async fn append_turn(
        &mut self,
        text: String,
        calls: Vec<CallRecord>,
    ) -> Result<(), ProviderError> {
        let turn = Turn { number: self.turns, text, calls };
        let messages = self.tools.settings.rendering.messages(&turn);
        let bytes = messages.iter().map(Message::size).sum();
        self.bytes += bytes;
        Arc::make_mut(&mut self.request).messages.extend(messages);
        self.calls.extend(turn.calls);
        Ok(self.charged.reserve(bytes).await?)
    }
}

fn add(sum: Option<Usage>, turn: Option<Usage>) -> Option<Usage> {
    let (Some(sum), Some(turn)) = (sum, turn) else { return sum.or(turn) };
    Some(Usage {
        prompt_tokens: sum.prompt_tokens.saturating_add(turn.prompt_tokens),
        completion_tokens: sum.completion_tokens.saturating_add(turn.completion_tokens),
        reasoning_tokens: sum.reasoning_tokens.saturating_add(turn.reasoning_tokens),
    })
}
