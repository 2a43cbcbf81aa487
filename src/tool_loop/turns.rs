//! The turns of a run.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    CallRecord, EndReason, LoopEvent, LoopResult, ToolContext,
    batch::PlannedCall,
    budget::CallBudget,
    ids::CallIds,
    model::Model,
    stall::StallDetector,
    stop::StopSignal,
    toolset::Toolset,
    transcript::{DuplicateDetector, Turn, Verdict, since_prompt},
};
use crate::{
    base::clock::within,
    chat::{Request, Response, Tool, ToolCall, ToolChoice},
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
    /// Names of the request's tools that the loop does not have.
    caller_tools: BTreeSet<String>,
    budget: CallBudget,
    stall: StallDetector,
    response: Option<Response>,
    calls: Vec<CallRecord>,
    turns: u32,
}

impl<'l> Turns<'l> {
    pub(super) fn new(
        tools: &'l Toolset,
        model: Model,
        mut request: Request,
        stop: StopSignal,
        context: ToolContext,
    ) -> Self {
        let is_callers = |tool: &&Tool| tools.find(&tool.name).is_none();
        let caller_tools = request.tools.iter().filter(is_callers);
        let caller_tools = caller_tools.map(|tool| tool.name.clone()).collect();
        tools.add_to(&mut request);
        let settings = &tools.settings;
        // A new prompt may ask for the same calls again, so calls before the latest prompt do not
        // count.
        let recent = since_prompt(&request.messages);
        Self {
            ids: CallIds::in_history(&request.messages),
            duplicates: DuplicateDetector::with_reader(settings.duplicates, recent, &tools.reader),
            budget: CallBudget::new(settings.max_calls),
            stall: StallDetector::new(settings.stalled_after),
            request: Arc::new(request),
            caller_tools,
            tools,
            model,
            stop,
            context,
            response: None,
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
            self.append_turn(text, Vec::new());
            return Some(EndReason::Answered);
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
        self.append_turn(text, records);
        let is_last = self.turns >= self.tools.settings.max_turns;
        stopped.or(end).or(is_last.then_some(EndReason::MaxTurns))
    }

    /// Stores an answer and returns its text and calls.
    fn accept(&mut self, response: Response) -> (String, Vec<(ToolCall, Verdict)>) {
        // A tool choice that demands a call in every turn would never let the model answer.
        let choice = &mut Arc::make_mut(&mut self.request).tool_choice;
        if *choice != ToolChoice::None {
            *choice = ToolChoice::Auto;
        }
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

    /// Appends a turn to the history.
    fn append_turn(&mut self, text: String, calls: Vec<CallRecord>) {
        let turn = Turn { number: self.turns, text, calls };
        let messages = self.tools.settings.rendering.messages(&turn);
        Arc::make_mut(&mut self.request).messages.extend(messages);
        self.calls.extend(turn.calls);
    }
}
