//! Runs the calls of one turn concurrently and returns their records in call order.

use std::{
    pin::pin,
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures_util::{Stream, StreamExt, stream};
use mynah_core::{
    base::{clock::Moment, memory::Reservation},
    chat::ToolCall,
};
use scopeguard::ScopeGuard;
use tracing::Instrument;

use super::{
    CallDecision, CallFailure, CallOutcome, CallRecord, LoopEnd, LoopEvent, ToolContext, ToolError,
    ToolOutput, UpcomingCall,
    budget::{CallBudget, StopSignal},
    limited::{CallResult, LimitedTool},
    model::Model,
    output::truncate,
    scrub::scrub,
    toolset::{CallerTools, Toolset},
    transcript::{CallKey, Verdict},
};

/// Maximum length of an error in the log in bytes.
const MAX_LOGGED: usize = 1024;

/// A call and the decision whether to run it.
#[derive(Debug)]
pub(super) struct PlannedCall<'t> {
    call: ToolCall,
    pub(super) key: CallKey,
    /// The tool to run, or what to report without running it.
    plan: Result<&'t LimitedTool, CallRecord>,
    /// The time at which the tool started.
    started: OnceLock<Moment>,
    /// The memory of the result.
    memory: OnceLock<Arc<Reservation>>,
}

/// What the turns and the calls of a run share.
pub(super) struct Scope<'t> {
    pub(super) tools: &'t Toolset,
    pub(super) model: Model,
    pub(super) stop: StopSignal,
    pub(super) context: ToolContext,
    pub(super) budget: CallBudget,
}

impl<'t> Scope<'t> {
    /// Decides which calls to run before any of them starts. Also returns an end reason if the budget
    /// is exceeded or if the caller has to run calls.
    pub(super) fn plan(
        &mut self,
        calls: Vec<(ToolCall, Verdict)>,
        callers: &CallerTools,
    ) -> (Vec<PlannedCall<'t>>, Option<LoopEnd>) {
        let mut end = None;
        let planned = calls.into_iter().map(|(call, Verdict { key, is_duplicate })| {
            let tool = self.tools.find(&call.name);
            // A call that the caller runs counts, but is never kept from it.
            let has_budget = self.budget.try_spend(tool);
            let plan = if callers.run(&call.name, tool.is_some()) {
                end = Some(LoopEnd::CallerTools);
                Err(CallRecord::new(call.clone(), CallOutcome::Pending, ""))
            } else if !has_budget {
                end.get_or_insert(LoopEnd::Budget);
                Err(CallRecord::failed(call.clone(), CallFailure::NotRun))
            } else if is_duplicate {
                Err(CallRecord::duplicate(call.clone()))
            } else {
                let unknown = || CallFailure::UnknownTool(call.name.clone());
                tool.ok_or_else(|| CallRecord::failed(call.clone(), unknown()))
            };
            PlannedCall { call, key, plan, started: OnceLock::new(), memory: OnceLock::new() }
        });
        (planned.collect(), end)
    }

    /// Runs a planned batch. Every call gets a record, even if the run is stopped early.
    pub(super) async fn run_batch(
        &self,
        batch: &[PlannedCall<'_>],
    ) -> (Vec<CallRecord>, Option<LoopEnd>) {
        let mut finished: Vec<Option<CallRecord>> = batch.iter().map(|_| None).collect();
        let end = {
            let mut records = pin!(self.records(batch));
            loop {
                match self.stop.run_until_stopped(records.next()).await {
                    Ok(Some((index, record))) => {
                        self.model.emit_call(|| LoopEvent::ToolFinished(record.clone()));
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
                    self.tools.count(&record);
                }
                self.model.emit_call(|| LoopEvent::ToolFinished(record.clone()));
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
    ) -> impl Stream<Item = (usize, CallRecord)> + Send + 'b {
        let run = move |(index, planned): (usize, &'b PlannedCall<'_>)| async move {
            let component = self.tools.metrics.component.as_deref();
            let session = component.map(|_| self.model.context.session_name());
            let (tool, id) = (&planned.call.name, planned.call.id.as_deref());
            let span = tracing::info_span!("tool_call", component, session, tool, id);
            let record = planned.run(self).instrument(span).await;
            self.tools.count(&record);
            (index, record)
        };
        let calls = stream::iter(batch.iter().enumerate()).map(run);
        calls.buffer_unordered(self.tools.settings.max_concurrency)
    }
}

impl PlannedCall<'_> {
    async fn run(&self, run: &Scope<'_>) -> CallRecord {
        let tool = match &self.plan {
            Ok(tool) => tool,
            Err(skipped) => return skipped.clone(),
        };
        let result = self.run_tool(tool, run).await.and_then(|result| self.keep(result));
        let mut record = match result {
            Ok((outcome, output)) => CallRecord::new(self.call.clone(), outcome, output),
            Err(failure) => {
                CallRecord::failed(self.call.clone(), failure.truncate(tool.settings.max_result))
            }
        };
        if let Some(scrubber) = run.model.context.result_scrubber() {
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

    async fn run_tool(&self, tool: &LimitedTool, run: &Scope<'_>) -> CallResult {
        let id = self.call.id.clone().unwrap_or_default();
        let context = run.context.for_call(id, run.model.context.reservation());
        let _ = self.memory.set(context.memory().clone());
        run.tools.check_truncation(&self.call.arguments)?;
        let arguments = tool.tool.parse_arguments(&self.call.arguments)?;
        let upcoming = || UpcomingCall {
            name: self.call.name.clone(),
            arguments: arguments.clone(),
            context: context.clone(),
        };
        match run.tools.hooks.decide(upcoming).await {
            CallDecision::Run => {}
            CallDecision::Refuse(text) => return Err(CallFailure::Denied(text)),
            CallDecision::Replace(output) => {
                return Ok((CallOutcome::Replaced, output.truncate(tool.settings.max_result)));
            }
        }
        run.model.emit_call(|| {
            let ToolCall { id, name, arguments } = self.call.clone();
            LoopEvent::ToolStarted { id: id.unwrap_or_default(), name, arguments }
        });
        self.started.get_or_init(Moment::now);
        let interrupted = scopeguard::guard((), |()| run.tools.count(&self.unfinished()));
        let result = tool.call(arguments, &self.key, context).await;
        ScopeGuard::into_inner(interrupted);
        result
    }

    /// Leaves the memory of the result to the run, which keeps its record.
    pub(super) fn leave_memory(&self) {
        if let Some(memory) = self.memory.get() {
            memory.leave();
        }
    }

    /// Charges a result instead of what the tool has read.
    fn keep(&self, result: (CallOutcome, ToolOutput)) -> CallResult {
        let memory = self.memory.get().map(|memory| memory.set(result.1.text.len()));
        memory.unwrap_or(Ok(())).map_err(|error| CallFailure::Error(ToolError::new(error)))?;
        Ok(result)
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
}
