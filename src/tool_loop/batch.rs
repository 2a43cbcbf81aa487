//! Runs the calls of one turn concurrently and returns their records in call order.

use std::{pin::pin, sync::OnceLock, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use tracing::Instrument;

use super::{
    CallDecision, CallFailure, CallOutcome, CallRecord, EndReason, LoopEvent, ToolContext,
    UpcomingCall,
    budget::CallBudget,
    caller_tools::CallerTools,
    limited::{CallResult, LimitedTool},
    model::Model,
    output::truncate,
    scrub::scrub,
    stop::StopSignal,
    toolset::Toolset,
    transcript::{CallKey, Verdict},
};
use crate::{base::clock::Moment, chat::ToolCall};

/// Maximum length of an error in the log in bytes.
const MAX_LOGGED: usize = 1024;

/// A call and the decision whether to run it.
#[derive(Debug)]
pub(super) struct PlannedCall<'t> {
    call: ToolCall,
    pub(super) key: CallKey,
    plan: Plan<'t>,
    /// The time at which the tool started.
    started: OnceLock<Moment>,
}

#[derive(Debug)]
enum Plan<'t> {
    Run(&'t LimitedTool),
    /// Report this without running the tool.
    Skip(CallRecord),
}

impl Toolset {
    /// Decides which calls to run before any of them starts. Also returns an end reason if the budget
    /// is exceeded or if the caller has to run calls.
    pub(super) fn plan(
        &self,
        calls: Vec<(ToolCall, Verdict)>,
        budget: &mut CallBudget,
        callers: &CallerTools,
    ) -> (Vec<PlannedCall<'_>>, Option<EndReason>) {
        let (mut end, mut has_pending) = (None, false);
        let planned = calls.into_iter().map(|(call, Verdict { key, is_duplicate })| {
            let tool = self.find(&call.name);
            let skipped = || call.clone();
            let plan = match tool {
                // Counts, but is never kept from the caller.
                _ if callers.runs(&call.name, tool.is_some()) => {
                    budget.try_spend(&call.name, tool);
                    has_pending = true;
                    Plan::Skip(CallRecord::new(skipped(), CallOutcome::Pending, ""))
                }
                _ if !budget.try_spend(&call.name, tool) => {
                    end = Some(EndReason::Budget);
                    Plan::Skip(CallRecord::failed(skipped(), CallFailure::NotRun))
                }
                _ if is_duplicate => Plan::Skip(CallRecord::duplicate(skipped())),
                Some(tool) => Plan::Run(tool),
                None => {
                    let failure = CallFailure::UnknownTool(call.name.clone());
                    Plan::Skip(CallRecord::failed(skipped(), failure))
                }
            };
            PlannedCall { call, key, plan, started: OnceLock::new() }
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
        let records = finished.into_iter().zip(batch).map(|(finished, planned)| {
            finished.unwrap_or_else(|| {
                let record = planned.unfinished();
                // A call that was interrupted is counted when it is dropped.
                if planned.started.get().is_none() {
                    self.count(&record);
                }
                model.emit(|| LoopEvent::ToolFinished(record.clone()));
                record
            })
        });
        (records.collect(), end)
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
            let record = planned.run(self, model, context).instrument(planned.span()).await;
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

impl PlannedCall<'_> {
    async fn run(&self, tools: &Toolset, model: &Model, context: &ToolContext) -> CallRecord {
        let tool = match &self.plan {
            Plan::Run(tool) => tool,
            Plan::Skip(record) => return record.clone(),
        };
        let context = context.for_call(self.call.id.clone().unwrap_or_default());
        let mut record = match self.run_tool(tool, tools, model, context).await {
            Ok((outcome, output)) => CallRecord::new(self.call.clone(), outcome, output),
            Err(failure) => CallRecord::failed(self.call.clone(), tool.truncate_message(failure)),
        };
        if let Some(scrubber) = model.context.result_scrubber() {
            record.result = scrub(record.result, scrubber).await;
        }
        if record.outcome.ran() {
            record.duration = self.duration();
        }
        let (outcome, duration) = (record.outcome.as_str(), record.duration);
        match &record.outcome {
            CallOutcome::Failed(failure) if !failure.is_refusal() => {
                let error = truncate(record.result.text().to_owned(), MAX_LOGGED);
                tracing::warn!(outcome, error, "tool call failed");
            }
            _ => tracing::debug!(outcome, ?duration, "tool call finished"),
        }
        record
    }

    async fn run_tool(
        &self,
        tool: &LimitedTool,
        tools: &Toolset,
        model: &Model,
        context: ToolContext,
    ) -> CallResult {
        tools.check_truncation(&self.call.arguments)?;
        let arguments = tool.parse_arguments(&self.call.arguments)?;
        let upcoming = || UpcomingCall {
            name: self.call.name.clone(),
            arguments: arguments.clone(),
            context: context.clone(),
        };
        match tools.hooks.decide(upcoming).await {
            CallDecision::Run => {}
            CallDecision::Refuse(text) => return Err(CallFailure::Denied(text)),
            CallDecision::Replace(output) => {
                return Ok((CallOutcome::Replaced, output.truncate(tool.settings.max_result)));
            }
        }
        model.emit(|| self.started_event());
        self.started.get_or_init(Moment::now);
        let mut guard = InterruptionGuard { tools, call: Some(self) };
        let result = tool.call(arguments, &self.key, context).await;
        guard.call = None;
        result
    }

    /// Returns the record of a call that had no result when the run ended.
    fn unfinished(&self) -> CallRecord {
        let is_started = self.started.get().is_some();
        let failure = if is_started { CallFailure::Interrupted } else { CallFailure::NotRun };
        CallRecord { duration: self.duration(), ..CallRecord::failed(self.call.clone(), failure) }
    }

    /// Returns the time since the tool started.
    fn duration(&self) -> Duration {
        self.started.get().map_or(Duration::ZERO, |started| started.age())
    }

    fn started_event(&self) -> LoopEvent {
        let ToolCall { id, name, arguments } = self.call.clone();
        LoopEvent::ToolStarted { id: id.unwrap_or_default(), name, arguments }
    }

    fn span(&self) -> tracing::Span {
        tracing::info_span!("tool_call", tool = self.call.name, id = self.call.id)
    }
}
