//! A tool with its limits: timeout, retries, circuit breaker and cache.

use mynah_core::base::clock;
use serde_json::Value;

use super::{
    CallFailure, CallOutcome, SettingsError, ToolContext, ToolMetrics, ToolSettings,
    breaker::Breaker, cache::Cache, output::ToolOutput, registered::RegisteredTool,
    transcript::CallKey,
};

/// The outcome of a call and its result, or the reason why there is no result.
pub(super) type CallResult = Result<(CallOutcome, ToolOutput), CallFailure>;

/// A tool with its limits. All runs share its circuit breaker and cache.
#[derive(Debug)]
pub(super) struct LimitedTool {
    pub(super) tool: RegisteredTool,
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
        settings.check().map_err(|error| SettingsError {
            setting: format!("{} of {}", error.setting, tool.name()),
            ..error
        })?;
        Ok(Self::with_settings(tool, settings, metrics))
    }

    fn with_settings(tool: RegisteredTool, settings: ToolSettings, metrics: &ToolMetrics) -> Self {
        let breaker = |settings| Breaker::new(settings, metrics.open_breakers(tool.name()));
        let breaker = settings.breaker.map(breaker);
        let cache = settings.cache.map(Cache::new);
        Self { tool, settings, breaker, cache }
    }

    /// Returns the same tool with a circuit breaker and a cache of its own.
    pub(super) fn fresh(&self, metrics: &ToolMetrics) -> Self {
        Self::with_settings(self.tool.clone(), self.settings.clone(), metrics)
    }

    /// Returns the size of what the tool keeps between calls, in bytes.
    pub(super) fn state_size(&self) -> usize {
        size_of::<Self>() + self.cache.as_ref().map_or(0, Cache::bytes)
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
        let run = self.run(arguments, context);
        let result = match &self.breaker {
            Some(breaker) => breaker.run(run).await,
            None => run.await,
        };
        let result = result?.truncate(self.settings.max_result);
        if let Some(cache) = &self.cache {
            cache.insert(key, &result);
        }
        Ok((CallOutcome::Succeeded, result))
    }

    /// Runs the tool until it succeeds or the retries are used up. Only transient errors and timeouts
    /// are retried. Returns the result of the last attempt.
    async fn run(&self, arguments: Value, context: ToolContext) -> Result<ToolOutput, CallFailure> {
        let ToolSettings { timeout, retries, .. } = self.settings;
        let run_once = async |arguments, context| {
            let result = clock::within(timeout, self.tool.run(arguments, context)).await;
            result.unwrap_or(Err(CallFailure::TimedOut(timeout)))
        };
        for _ in 0..retries {
            // Each attempt has a token of its own.
            let attempt = context.for_attempt();
            match run_once(arguments.clone(), attempt).await {
                Err(failure) if failure.is_transient() => {}
                result => return result,
            }
        }
        run_once(arguments, context).await
    }
}
