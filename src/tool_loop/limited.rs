//! A tool with its limits.

use super::{
    CallError, CallOutcome, ToolMetrics, ToolSettings, Why, breaker::Breaker, cache::Cache,
    registered::Registered,
};
use crate::{chat::Tool, clock};

/// The text for the model, and what became of the call.
pub(super) type Outcome = (String, CallOutcome);

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

    pub(super) async fn call(&self, arguments: &str, key: &str) -> Outcome {
        if let Some(result) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return (result, CallOutcome::Cached);
        }
        match self.tries(arguments).await {
            Ok(result) => {
                let result = cut(result, self.settings.max_result);
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

    async fn tries(&self, arguments: &str) -> Result<String, Why> {
        let arguments = self.tool.checked(arguments)?;
        for _ in 0..self.settings.retries {
            match self.try_once(&arguments).await {
                Err(Why::Error(_) | Why::TimedOut(_)) => {}
                outcome => return outcome,
            }
        }
        self.try_once(&arguments).await
    }

    async fn try_once(&self, arguments: &serde_json::Value) -> Result<String, Why> {
        let permit = match &self.breaker {
            Some(breaker) => Some(breaker.permit().ok_or(Why::Resting)?),
            None => None,
        };
        let timeout = self.settings.timeout;
        let outcome = clock::within(timeout, self.tool.run(arguments.clone())).await;
        let outcome = outcome.unwrap_or(Err(Why::TimedOut(timeout)));
        if let Some(permit) = permit {
            permit.ended(outcome.is_ok());
        }
        outcome
    }
}

/// What the model is told of an error.
pub(super) fn failed(error: CallError) -> Outcome {
    (error.to_string(), CallOutcome::Failed(error))
}

/// The beginning of a text that is too long, and a note that says so.
fn cut(mut text: String, max: usize) -> String {
    let bytes = text.len();
    if bytes > max {
        text.truncate(text.floor_char_boundary(max));
        text += &format!("\n[cut: these are {} of {bytes} bytes]", text.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_says_so_and_splits_no_character() {
        assert_eq!(cut("äö".to_owned(), 4), "äö");
        assert_eq!(cut("äö".to_owned(), 3), "ä\n[cut: these are 2 of 4 bytes]");
        assert_eq!(cut("ä".to_owned(), 1), "\n[cut: these are 0 of 2 bytes]");
    }
}
