//! What is counted of tools, for Prometheus.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::{CallRecord, limited::LimitedTool};

/// Upper bounds in seconds: from tools that look something up to those that time out.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 60.0];

/// The metrics of the tools of a loop. Clones count together.
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

    /// Has them printed with all else in `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Calls of tools by outcome; cached ones did not run";
        registry.register("mynah_tool_calls", help, self.calls.clone());
        let help = "Seconds that calls of tools took, retries included";
        registry.register("mynah_tool_seconds", help, self.seconds.clone());
        let help = "Circuit breakers of tools: 0 closed, 1 half-open, 2 open";
        registry.register("mynah_tool_breaker", help, self.breakers.clone());
    }

    /// Counts a call. A tool that is not registered has no name here: a model could make up any
    /// number of them.
    pub(super) fn count(&self, tool: Option<&LimitedTool>, call: &CallRecord) {
        let tool = tool.map_or("", LimitedTool::name).to_owned();
        if call.outcome.ran() {
            let labels = ToolLabels { tool: tool.clone() };
            self.seconds.get_or_create(&labels).observe(call.duration.as_secs_f64());
        }
        self.calls.get_or_create(&CallLabels { tool, outcome: call.outcome.as_str() }).inc();
    }

    pub(super) fn breaker(&self, tool: &str) -> Gauge {
        self.breakers.get_or_create(&ToolLabels { tool: tool.to_owned() }).clone()
    }
}
