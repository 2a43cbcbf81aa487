//! A tool with its limits.

use serde_json::Value;

use super::{
    CallError, CallOutcome, ToolMetrics, ToolSettings, Why,
    breaker::Breaker,
    cache::Cache,
    output::{Output, cut},
    registered::Registered,
    transcript::CallKey,
};
use crate::{base::clock, chat::Tool};

/// What the model gets to read, and what became of the call.
pub(super) type Outcome = (Output, CallOutcome);

/// A tool, and what all runs that call it share.
#[derive(Debug)]
pub(super) struct LimitedTool {
    tool: Registered,
    pub(super) settings: ToolSettings,
    breaker: Option<Breaker>,
    cache: Option<Cache>,
}

impl LimitedTool {
    pub(super) fn new(tool: Registered, settings: ToolSettings, metrics: &ToolMetrics) -> Self {
        let breaker = |settings| Breaker::new(settings, metrics.breaker(tool.name()));
        let breaker = settings.breaker.map(breaker);
        let cache = settings.cache.map(Cache::new);
        Self { tool, settings, breaker, cache }
    }

    pub(super) fn name(&self) -> &str {
        self.tool.name()
    }

    pub(super) fn definition(&self) -> &Tool {
        self.tool.definition()
    }

    pub(super) async fn call(&self, arguments: &str, key: &CallKey) -> Outcome {
        if let Some(result) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return (result, CallOutcome::Cached);
        }
        match self.tries(arguments).await {
            Ok(result) => {
                let result = result.cut(self.settings.max_result);
                if let Some(cache) = &self.cache {
                    cache.keep(key, &result);
                }
                (result, CallOutcome::Succeeded)
            }
            Err(why) => {
                let why = why.map(|text| cut(text, self.settings.max_result));
                failed(CallError::of(self.name(), why))
            }
        }
    }

    async fn tries(&self, arguments: &str) -> Result<Output, Why> {
        let arguments = self.tool.checked(arguments)?;
        let permit = match &self.breaker {
            Some(breaker) => Some(breaker.permit().ok_or(Why::Resting)?),
            None => None,
        };
        let outcome = self.try_again(&arguments).await;
        if let Some(permit) = permit {
            permit.ended(outcome.is_ok());
        }
        outcome
    }

    /// The outcome of the last try.
    async fn try_again(&self, arguments: &Value) -> Result<Output, Why> {
        for _ in 0..self.settings.retries {
            match self.try_once(arguments).await {
                Err(Why::Error(_) | Why::TimedOut(_)) => {}
                outcome => return outcome,
            }
        }
        self.try_once(arguments).await
    }

    async fn try_once(&self, arguments: &Value) -> Result<Output, Why> {
        let timeout = self.settings.timeout;
        let outcome = clock::within(timeout, self.tool.run(arguments.clone())).await;
        outcome.unwrap_or(Err(Why::TimedOut(timeout)))
    }
}

/// What the model is told of an error.
pub(super) fn failed(error: CallError) -> Outcome {
    (error.to_string().into(), CallOutcome::Failed(error))
}
