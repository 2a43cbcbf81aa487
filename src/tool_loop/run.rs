//! One run of the loop.

use std::sync::Arc;

use super::{
    CallOutcome, CallRecord, EndReason, LoopResult, ToolLoop,
    batch::{Call, Planned},
    budget::Budget,
    duplicates::CallLog,
    ids::CallIds,
    model::Model,
    stall::Stall,
    stop::Stop,
};
use crate::chat::{Message, Request, Response, Role, ToolChoice};

/// What a run has come to.
pub(super) struct Run<'l> {
    parts: &'l ToolLoop,
    model: Model,
    stop: Stop,
    /// Shared with the model only while it answers, so that the history is never copied.
    request: Arc<Request>,
    ids: CallIds,
    log: CallLog,
    budget: Budget,
    stall: Stall,
    response: Option<Response>,
    calls: Vec<CallRecord>,
    turns: u32,
}

impl<'l> Run<'l> {
    pub(super) fn new(parts: &'l ToolLoop, model: Model, mut request: Request, stop: Stop) -> Self {
        parts.offer(&mut request.tools);
        Self {
            ids: CallIds::of(&request.messages),
            log: CallLog::new(parts.settings.duplicates),
            budget: Budget::new(parts.settings.max_calls),
            stall: Stall::new(parts.settings.stalled_after),
            request: Arc::new(request),
            parts,
            model,
            stop,
            response: None,
            calls: Vec::new(),
            turns: 0,
        }
    }

    pub(super) async fn finish(mut self) -> LoopResult {
        let end = loop {
            if let Some(end) = self.turn().await {
                break end;
            }
        };
        tracing::debug!(end = end.as_str(), turns = self.turns, "a tool loop has ended");
        LoopResult {
            response: self.response,
            transcript: Arc::unwrap_or_clone(self.request).messages,
            calls: self.calls,
            turns: self.turns,
            end,
        }
    }

    /// Asks the model and runs what it calls; says why it was the last turn, if it was.
    async fn turn(&mut self) -> Option<EndReason> {
        let response = match self.stop.or(self.model.ask(&self.request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Some(EndReason::ModelError(error)),
            Err(end) => return Some(end),
        };
        self.turns += 1;
        let calls = self.hear(response);
        if calls.is_empty() {
            return Some(EndReason::Answered);
        }
        let (batch, end) = if self.is_stalled(&calls) {
            (ToolLoop::leave_out(calls), Some(EndReason::Stalled))
        } else {
            self.parts.plan(calls, &mut self.log, &mut self.budget)
        };
        let (records, stopped) = self.parts.run_batch(&batch, &self.model, &self.stop).await;
        self.answer(&batch, records);
        let is_last = self.turns >= self.parts.settings.max_turns;
        stopped.or(end).or(is_last.then_some(EndReason::MaxTurns))
    }

    /// Takes the answer into the history, and returns its calls.
    fn hear(&mut self, mut response: Response) -> Vec<Call> {
        self.ids.number(&mut response.tool_calls);
        let tool_calls = response.tool_calls.clone();
        let text = Some(response.content.clone()).filter(|text| !text.is_empty());
        let (role, parts) = (Role::Assistant { tool_calls }, text.into_iter().collect());
        let request = Arc::make_mut(&mut self.request);
        request.messages.push(Message { role, name: None, parts });
        // A choice that held for ever would never let the model answer.
        if request.tool_choice != ToolChoice::None {
            request.tool_choice = ToolChoice::Auto;
        }
        let calls = response.tool_calls.iter().cloned().map(Call::new).collect();
        self.response = Some(response);
        calls
    }

    /// Whether the model makes the same calls again and again. Some calls are made to be repeated.
    fn is_stalled(&mut self, calls: &[Call]) -> bool {
        let keys = calls.iter().map(|call| call.key.clone()).collect();
        self.stall.is_reached(keys) && !self.parts.may_repeat(calls)
    }

    /// Puts the results into the history.
    fn answer(&mut self, batch: &[Planned<'_>], records: Vec<CallRecord>) {
        let is_success = |record: &CallRecord| {
            matches!(record.outcome, CallOutcome::Succeeded | CallOutcome::Cached)
        };
        let ended = batch.iter().zip(&records);
        let succeeded = ended.filter(|(_, record)| is_success(record));
        self.log.end_turn(succeeded.map(|(planned, _)| planned.call.key.clone()));
        let messages = records.iter().map(|record| {
            let (id, name) = (Some(record.id.clone()), record.name.clone());
            Message::new(Role::Tool { id, name }, record.result.clone())
        });
        Arc::make_mut(&mut self.request).messages.extend(messages);
        self.calls.extend(records);
    }
}
