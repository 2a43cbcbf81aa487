//! Runs the calls of one turn concurrently and returns their records in call order.

use std::{collections::BTreeSet, pin::pin, sync::OnceLock, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use tracing::Instrument;

use super::{
    CallError, CallFailure, CallOutcome, CallRecord, EndReason, LoopEvent, ToolContext,
    budget::CallBudget,
    limited::{CallReport, LimitedTool, error_report},
    model::Model,
    output::ToolOutput,
    stop::StopSignal,
    toolset::Toolset,
    transcript::{CallKey, Verdict, correction_text},
};
use crate::{base::clock::Moment, chat::ToolCall};

/// A call that has been checked for duplicates.
#[derive(Debug)]
pub(super) struct Call {
    call: ToolCall,
    verdict: Verdict,
}

/// A call and the decision whether to run it.
#[derive(Debug)]
pub(super) struct PlannedCall<'t> {
    pub(super) call: Call,
    plan: Plan<'t>,
    /// The time at which the tool started.
    started: OnceLock<Moment>,
}

#[derive(Debug)]
enum Plan<'t> {
    Run(&'t LimitedTool),
    /// Report this without running the tool.
    Skip(CallReport),
}

impl Toolset {
    /// Decides which calls to run before any of them starts. Also returns an end reason if the budget
    /// is exceeded or if the caller has to run calls.
    pub(super) fn plan(
        &self,
        calls: Vec<Call>,
        budget: &mut CallBudget,
        caller_tools: &BTreeSet<String>,
    ) -> (Vec<PlannedCall<'_>>, Option<EndReason>) {
        let (mut end, mut has_pending) = (None, false);
        let planned = calls.into_iter().map(|call| {
            let tool = self.find(call.name());
            let plan = match tool {
                _ if !budget.try_spend(call.name(), tool) => {
                    end = Some(EndReason::Budget);
                    Plan::Skip(call.report(CallFailure::NotRun))
                }
                None if caller_tools.contains(call.name()) => {
                    has_pending = true;
                    Plan::Skip((ToolOutput::from(String::new()), CallOutcome::Pending))
                }
                _ if call.verdict.is_duplicate => Plan::Skip(call.report_duplicate()),
                None => Plan::Skip(call.report_unknown_tool()),
                Some(tool) => match self.check_truncation(&call.call.arguments) {
                    Ok(()) => Plan::Run(tool),
                    Err(failure) => Plan::Skip(call.report(failure)),
                },
            };
            PlannedCall { call, plan, started: OnceLock::new() }
        });
        let planned = planned.collect();
        (planned, if has_pending { Some(EndReason::CallerTools) } else { end })
    }

    /// Runs a planned batch. Every call gets a record, even if the run is stopped early.
    pub(super) async fn run_batch(
        &self,
        batch: &[PlannedCall<'_>],
        model: &Model,
        stop: &StopSignal,
        context: &ToolContext,
    ) -> (Vec<CallRecord>, Option<EndReason>) {
        let mut finished: Vec<Option<CallRecord>> = batch.iter().map(|_| None).collect();
        let end = {
            let mut records = pin!(self.records(batch, model, context));
            loop {
                match stop.run_until_stopped(records.next()).await {
                    Ok(Some((index, record))) => {
                        model.emit(|| LoopEvent::ToolFinished(record.clone()));
                        finished[index] = Some(record);
                    }
                    Ok(None) => break None,
                    Err(end) => break Some(end),
                }
            }
        };
        let mut records = Vec::with_capacity(batch.len());
        for (finished, planned) in finished.into_iter().zip(batch) {
            let is_unfinished = finished.is_none();
            let record = finished.unwrap_or_else(|| planned.unfinished());
            if is_unfinished {
                // A call that was interrupted is counted when it is dropped.
                if !planned.is_started() {
                    self.count(&record);
                }
                model.emit(|| LoopEvent::ToolFinished(record.clone()));
            }
            records.push(record);
        }
        (records, end)
    }

    /// Runs the calls and yields their records in order of completion, each with the call's index
    /// in the batch.
    fn records<'b>(
        &'b self,
        batch: &'b [PlannedCall<'_>],
        model: &'b Model,
        context: &'b ToolContext,
    ) -> impl Stream<Item = (usize, CallRecord)> + Send + 'b {
        let run = move |(index, planned): (usize, &'b PlannedCall<'_>)| async move {
            let record = planned.run(self, model, context).instrument(planned.call.span()).await;
            self.count(&record);
            (index, record)
        };
        let calls = stream::iter(batch.iter().enumerate()).map(run);
        calls.buffer_unordered(self.settings.max_concurrency)
    }
}

/// Counts a call as interrupted if it is dropped before it finishes.
struct InterruptionGuard<'b> {
    tools: &'b Toolset,
    /// `None` if the call has finished.
    call: Option<&'b PlannedCall<'b>>,
}

impl Drop for InterruptionGuard<'_> {
    fn drop(&mut self) {
        if let Some(call) = self.call {
            self.tools.count(&call.unfinished());
        }
    }
}

/// Plans a batch in which no call runs because the loop ends.
pub(super) fn skip_all(calls: Vec<Call>) -> Vec<PlannedCall<'static>> {
    let skip = |call: Call| {
        let plan = Plan::Skip(call.report(CallFailure::NotRun));
        PlannedCall { call, plan, started: OnceLock::new() }
    };
    calls.into_iter().map(skip).collect()
}

impl PlannedCall<'_> {
    async fn run(&self, tools: &Toolset, model: &Model, context: &ToolContext) -> CallRecord {
        let Self { call, plan, .. } = self;
        let tool = match plan {
            Plan::Run(tool) => tool,
            Plan::Skip(report) => return call.record(report.clone()),
        };
        model.emit(|| call.started());
        let started = self.started.get_or_init(Moment::now);
        let mut guard = InterruptionGuard { tools, call: Some(self) };
        let context = context.for_call(call.call.id.clone().unwrap_or_default());
        let (output, outcome) = tool.call(&call.call.arguments, call.key(), &context).await;
        guard.call = None;
        let duration = if outcome.ran() { started.age() } else { Duration::ZERO };
        match &outcome {
            CallOutcome::Failed(error) => {
                tracing::warn!(outcome = error.as_str(), %error, "tool call failed");
            }
            outcome => tracing::debug!(outcome = outcome.as_str(), ?duration, "tool call finished"),
        }
        CallRecord { duration, ..call.record((output, outcome)) }
    }

    fn is_started(&self) -> bool {
        self.started.get().is_some()
    }

    /// Returns the record of a call that had no result when the run ended.
    fn unfinished(&self) -> CallRecord {
        let (failure, duration) = match self.started.get() {
            Some(started) => (CallFailure::Interrupted, started.age()),
            None => (CallFailure::NotRun, Duration::ZERO),
        };
        CallRecord { duration, ..self.call.record(self.call.report(failure)) }
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

    fn record(&self, (ToolOutput { text: result, is_json }, outcome): CallReport) -> CallRecord {
        let ToolCall { id, name, arguments } = self.call.clone();
        let (id, duration) = (id.unwrap_or_default(), Duration::ZERO);
        CallRecord { id, name, arguments, result, is_json, duration, outcome }
    }

    fn report_duplicate(&self) -> CallReport {
        (correction_text(self.name()).into(), CallOutcome::Duplicate)
    }

    fn report(&self, failure: CallFailure) -> CallReport {
        error_report(CallError::failed(self.name(), failure))
    }

    fn report_unknown_tool(&self) -> CallReport {
        error_report(CallError::UnknownTool(self.name().to_owned()))
    }

    fn span(&self) -> tracing::Span {
        tracing::info_span!("tool_call", tool = self.call.name, id = self.call.id)
    }
}
