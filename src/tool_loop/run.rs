//! One run of the loop.

use std::sync::Arc;

use super::{
    CallRecord, EndReason, LoopResult, ToolLoop,
    batch::{Call, Planned},
    budget::Budget,
    ids::CallIds,
    model::Model,
    stall::Stall,
    stop::Stop,
    transcript::{DuplicateLog, Turn, since_prompt},
};
use crate::chat::{Request, Response, ToolChoice};

/// What a run has come to.
pub(super) struct Run<'l> {
    parts: &'l ToolLoop,
    model: Model,
    stop: Stop,
    /// Shared with the model only while it answers, so that the history is never copied.
    request: Arc<Request>,
    ids: CallIds,
    log: DuplicateLog,
    budget: Budget,
    stall: Stall,
    response: Option<Response>,
    calls: Vec<CallRecord>,
    turns: u32,
}

impl<'l> Run<'l> {
    pub(super) fn new(parts: &'l ToolLoop, model: Model, mut request: Request, stop: Stop) -> Self {
        parts.offer(&mut request);
        Self {
            ids: CallIds::of(&request.messages),
            // What the user asks for again is to be done again.
            log: DuplicateLog::resume(parts.settings.duplicates, since_prompt(&request.messages)),
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
        let (text, calls) = self.hear(response);
        if calls.is_empty() {
            self.write_down(text, Vec::new());
            return Some(EndReason::Answered);
        }
        let (batch, end) = if self.is_stalled(&calls) {
            (ToolLoop::leave_out(calls), Some(EndReason::Stalled))
        } else {
            self.parts.plan(calls, &mut self.budget)
        };
        let (records, stopped) = self.parts.run_batch(&batch, &self.model, &self.stop).await;
        self.remember(&batch, &records);
        self.write_down(text, records);
        let is_last = self.turns >= self.parts.settings.max_turns;
        stopped.or(end).or(is_last.then_some(EndReason::MaxTurns))
    }

    /// Takes the answer; returns its text and its calls.
    fn hear(&mut self, response: Response) -> (String, Vec<Call>) {
        // A choice that held for ever would never let the model answer.
        let choice = &mut Arc::make_mut(&mut self.request).tool_choice;
        if *choice != ToolChoice::None {
            *choice = ToolChoice::Auto;
        }
        let mut response = self.parts.read(response);
        self.ids.number(&mut response.tool_calls);
        let is_repeatable = |name: &str| self.parts.is_repeatable(name);
        let verdicts = self.log.judge(&response.tool_calls, is_repeatable);
        let calls = response.tool_calls.iter().cloned().zip(verdicts);
        let calls = calls.map(|(call, verdict)| Call::new(call, verdict)).collect();
        let text = response.content.clone();
        self.response = Some(response);
        (text, calls)
    }

    /// Whether the model makes the same calls again and again. Some calls are made to be repeated.
    fn is_stalled(&mut self, calls: &[Call]) -> bool {
        let keys = calls.iter().map(|call| call.key().clone()).collect();
        let all_repeatable = || calls.iter().all(|call| self.parts.is_repeatable(call.name()));
        self.stall.is_reached(keys) && !all_repeatable()
    }

    /// Remembers the calls that went well.
    fn remember(&mut self, batch: &[Planned<'_>], records: &[CallRecord]) {
        for (planned, record) in batch.iter().zip(records) {
            if record.outcome.is_success() {
                self.log.succeeded(planned.call.key().clone());
            }
        }
    }

    /// Puts the turn into the history.
    fn write_down(&mut self, text: String, records: Vec<CallRecord>) {
        let rendering = &self.parts.settings.rendering;
        let calls = records.iter().map(|record| record.finished(rendering)).collect();
        let messages = rendering.messages(&Turn { number: self.turns, text, calls });
        Arc::make_mut(&mut self.request).messages.extend(messages);
        self.calls.extend(records);
    }
}
