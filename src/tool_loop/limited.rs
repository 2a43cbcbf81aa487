//! A tool with its limits: timeout, retries, circuit breaker and cache.

use std::time::Duration;

use serde_json::Value;

use super::{
    CallFailure, CallOutcome, SettingsError, ToolContext, ToolMetrics, ToolSettings,
    breaker::Breaker,
    cache::Cache,
    output::{ToolOutput, truncate},
    registered::RegisteredTool,
    transcript::CallKey,
};
use crate::{base::clock, chat::Tool};

/// The outcome of a call and its result, or the reason why there is no result.
pub(super) type CallResult = Result<(CallOutcome, ToolOutput), CallFailure>;

/// A tool with its limits. All runs share its circuit breaker and cache.
#[derive(Debug)]
pub(super) struct LimitedTool {
    tool: RegisteredTool,
    pub(super) settings: ToolSettings,
    breaker: Option<Breaker>,
    cache: Option<Cache>,
}

impl LimitedTool {
    /// Adds limits to a tool. `default` has the settings of a tool without settings of its own.
    pub(super) fn new(
        mut tool: RegisteredTool,
        default: &ToolSettings,
        metrics: &ToolMetrics,
    ) -> Result<Self, SettingsError> {
        let settings = tool.settings.take().unwrap_or_else(|| default.clone());
        settings.check().map_err(|error| error.of_tool(tool.name()))?;
        let breaker = |settings| Breaker::new(settings, metrics.breaker(tool.name()));
        let breaker = settings.breaker.map(breaker);
        let cache = settings.cache.map(Cache::new);
        Ok(Self { tool, settings, breaker, cache })
    }

    pub(super) fn name(&self) -> &str {
        self.tool.name()
    }

    pub(super) fn definition(&self) -> &Tool {
        self.tool.definition()
    }

    /// Parses the arguments and validates them against the schema.
    pub(super) fn parse_arguments(&self, arguments: &str) -> Result<Value, CallFailure> {
        self.tool.parse_arguments(arguments)
    }

    /// Returns the cached result, or calls the tool.
    pub(super) async fn call(
        &self,
        arguments: Value,
        key: &CallKey,
        context: ToolContext,
    ) -> CallResult {
        if let Some(result) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return Ok((CallOutcome::Cached, result));
        }
        let result = self.call_uncached(arguments, context).await?;
        let result = result.truncate(self.settings.max_result);
        if let Some(cache) = &self.cache {
            cache.insert(key, &result);
        }
        Ok((CallOutcome::Succeeded, result))
    }

    /// Truncates the message of a failure to the maximum size of a result.
    pub(super) fn truncate_message(&self, failure: CallFailure) -> CallFailure {
        failure.map_message(|message| truncate(message, self.settings.max_result))
    }

    async fn call_uncached(
        &self,
        arguments: Value,
        context: ToolContext,
    ) -> Result<ToolOutput, CallFailure> {
        let permit = match &self.breaker {
            Some(breaker) => Some(breaker.permit().ok_or(CallFailure::CircuitOpen)?),
            None => None,
        };
        let result = self.run_with_retries(arguments, context).await;
        // A refusal says nothing about whether the tool works.
        if let Some(permit) = permit
            && !result.as_ref().is_err_and(CallFailure::is_refusal)
        {
            permit.finish(result.is_ok());
        }
        result
    }

    /// Runs the tool until it succeeds or the retries are used up. Only transient errors and timeouts
    /// are retried. Returns the result of the last attempt.
    async fn run_with_retries(
        &self,
        arguments: Value,
        context: ToolContext,
    ) -> Result<ToolOutput, CallFailure> {
        let ToolSettings { timeout, retries, .. } = self.settings;
        for _ in 0..retries {
            match self.run_once(arguments.clone(), context.for_attempt(), timeout).await {
                Err(failure) if failure.is_transient() => {}
                result => return result,
            }
        }
        self.run_once(arguments, context, timeout).await
    }

    async fn run_once(
        &self,
        arguments: Value,
        context: ToolContext,
        timeout: Duration,
    ) -> Result<ToolOutput, CallFailure> {
        let result = clock::within(timeout, self.tool.run(arguments, context)).await;
        result.unwrap_or(Err(CallFailure::TimedOut(timeout)))
    }
}
