//! The calls of one turn: they run side by side, and their results stand in their order.

use std::{pin::pin, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use tracing::Instrument;

use super::{
    CallError, CallOutcome, CallRecord, EndReason, LoopEvent, ToolLoop, Why,
    budget::Budget,
    limited::{LimitedTool, Outcome, failed},
    model::Model,
    output::Output,
    stop::Stop,
    transcript::{CallKey, Verdict, correction_text},
};
use crate::{base::clock::Moment, chat::ToolCall};

/// A call of the turn.
#[derive(Debug)]
pub(super) struct Call {
    call: ToolCall,
    verdict: Verdict,
}

/// A call, and what is to become of it.
#[derive(Debug)]
pub(super) struct Planned<'t> {
    pub(super) call: Call,
    plan: Plan<'t>,
}

#[derive(Debug)]
enum Plan<'t> {
    Run(&'t LimitedTool),
    /// Nothing runs: this is what becomes of it.
    Known(Outcome),
}

impl ToolLoop {
    /// Decides about each call before any of them runs, and says whether there were too many.
    pub(super) fn plan(
        &self,
        calls: Vec<Call>,
        budget: &mut Budget,
    ) -> (Vec<Planned<'_>>, Option<EndReason>) {
        let mut end = None;
        let planned = calls.into_iter().map(|call| {
            let tool = self.find(call.name());
            let plan = match tool {
                _ if !budget.spend(call.name(), tool) => {
                    end = Some(EndReason::Budget);
                    Plan::Known(call.left_out())
                }
                _ if call.verdict.is_duplicate => Plan::Known(call.duplicate()),
                None => Plan::Known(call.unknown()),
                Some(tool) => Plan::Run(tool),
            };
            Planned { call, plan }
        });
        (planned.collect(), end)
    }

    /// A batch of which nothing runs, since the loop ends.
    pub(super) fn leave_out(calls: Vec<Call>) -> Vec<Planned<'static>> {
        let planned = |call: Call| Planned { plan: Plan::Known(call.left_out()), call };
        calls.into_iter().map(planned).collect()
    }

    /// Runs what is to run. Whatever stops it, every call has its record.
    pub(super) async fn run_batch(
        &self,
        batch: &[Planned<'_>],
        model: &Model,
        stop: &Stop,
    ) -> (Vec<CallRecord>, Option<EndReason>) {
        let mut done: Vec<Option<CallRecord>> = batch.iter().map(|_| None).collect();
        let end = {
            let mut results = pin!(self.results(batch, model));
            loop {
                match stop.or(results.next()).await {
                    Ok(Some((at, record))) => {
                        model.tell(|| LoopEvent::ToolFinished(record.clone())).await;
                        done[at] = Some(record);
                    }
                    Ok(None) => break None,
                    Err(end) => break Some(end),
                }
            }
        };
        let mut records = Vec::with_capacity(batch.len());
        for (done, Planned { call, .. }) in done.into_iter().zip(batch) {
            let is_unfinished = done.is_none();
            let record = done.unwrap_or_else(|| call.record(call.left_out()));
            if is_unfinished {
                model.tell(|| LoopEvent::ToolFinished(record.clone())).await;
            }
            self.metrics.count(self.find(call.name()), &record);
            records.push(record);
        }
        (records, end)
    }

    /// The records with their places in the batch, whichever is first.
    fn results<'b>(
        &'b self,
        batch: &'b [Planned<'_>],
        model: &'b Model,
    ) -> impl Stream<Item = (usize, CallRecord)> + Send + 'b {
        let result = move |(at, planned): (usize, &'b Planned<'_>)| async move {
            (at, planned.result(model).instrument(planned.call.span()).await)
        };
        stream::iter(batch.iter().enumerate()).map(result).buffer_unordered(self.settings.at_once)
    }
}

impl Planned<'_> {
    async fn result(&self, model: &Model) -> CallRecord {
        let Self { call, plan } = self;
        let tool = match plan {
            Plan::Run(tool) => tool,
            Plan::Known(outcome) => return call.record(outcome.clone()),
        };
        model.tell(|| call.started()).await;
        let started = Moment::now();
        let (result, outcome) = tool.call(&call.call.arguments, call.key()).await;
        let duration = if outcome.ran() { started.age() } else { Duration::ZERO };
        tracing::debug!(outcome = outcome.as_str(), ?duration, "a tool call is done");
        CallRecord { duration, ..call.record((result, outcome)) }
    }
}

impl Call {
    pub(super) fn new(call: ToolCall, verdict: Verdict) -> Self {
        Self { call, verdict }
    }

    pub(super) fn key(&self) -> &CallKey {
        &self.verdict.key
    }

    pub(super) fn name(&self) -> &str {
        &self.call.name
    }

    fn started(&self) -> LoopEvent {
        let ToolCall { id, name, arguments } = self.call.clone();
        LoopEvent::ToolStarted { id: id.unwrap_or_default(), name, arguments }
    }

    fn record(&self, (Output { text: result, is_json }, outcome): Outcome) -> CallRecord {
        let ToolCall { id, name, arguments } = self.call.clone();
        let (id, duration) = (id.unwrap_or_default(), Duration::ZERO);
        CallRecord { id, name, arguments, result, is_json, duration, outcome }
    }

    fn duplicate(&self) -> Outcome {
        (correction_text(self.name()).into(), CallOutcome::Duplicate)
    }

    fn left_out(&self) -> Outcome {
        failed(CallError::of(self.name(), Why::Ended))
    }

    fn unknown(&self) -> Outcome {
        failed(CallError::Unknown(self.name().to_owned()))
    }

    fn span(&self) -> tracing::Span {
        tracing::info_span!("tool_call", tool = self.call.name, id = self.call.id)
    }
}
