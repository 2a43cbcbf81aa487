//! Prometheus metrics of tools.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::CallRecord;

/// Upper bounds of the duration buckets in seconds, from fast lookups to timeouts.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 60.0];

/// Metrics of a loop's tools. Clones share their values.
///
/// ```
/// use mynah::tool_loop::{LoopSettings, ToolLoop, ToolRegistry};
/// use prometheus_client::registry::Registry;
/// let tool_loop = ToolLoop::new(ToolRegistry::new(), LoopSettings::default())?;
/// let mut registry = Registry::default();
/// tool_loop.metrics().register(&mut registry);
/// # Ok::<(), mynah::tool_loop::SettingsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ToolMetrics {
    calls: Family<CallLabels, Counter>,
    seconds: Family<ToolLabels, Histogram, fn() -> Histogram>,
    breakers: Family<ToolLabels, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tool: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolLabels {
    tool: String,
}

impl ToolMetrics {
    pub(super) fn new() -> Self {
        Self {
            calls: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            breakers: Family::default(),
        }
    }

    /// Registers `mynah_tool_calls`, `mynah_tool_seconds` and `mynah_tool_breaker`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Tool calls by outcome; cached calls did not run";
        registry.register("mynah_tool_calls", help, self.calls.clone());
        let help = "Duration of tool calls in seconds, including retries";
        registry.register("mynah_tool_seconds", help, self.seconds.clone());
        let help = "State of tool circuit breakers: 0 closed, 1 half-open, 2 open";
        registry.register("mynah_tool_breaker", help, self.breakers.clone());
    }

    /// Counts a call. Pass `None` for a tool that is not registered. Models can make up any number
    /// of names, so such names are not used as labels.
    pub(super) fn count(&self, tool: Option<&str>, call: &CallRecord) {
        let tool = tool.unwrap_or_default().to_owned();
        if call.outcome.ran() {
            let labels = ToolLabels { tool: tool.clone() };
            self.seconds.get_or_create(&labels).observe(call.duration.as_secs_f64());
        }
        self.calls.get_or_create(&CallLabels { tool, outcome: call.outcome.as_str() }).inc();
    }

    /// Returns the gauge for the state of a tool's circuit breaker.
    pub(super) fn breaker(&self, tool: &str) -> Gauge {
        self.breakers.get_or_create(&ToolLabels { tool: tool.to_owned() }).clone()
    }
}
