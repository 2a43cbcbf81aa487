//! Prometheus metrics of tools.

use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
};

use super::CallRecord;

/// Upper bounds of the duration buckets in seconds, from fast lookups to timeouts.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 60.0];

/// Metrics of a loop's tools. Clones share their values.
///
/// ```
/// use mynah::tool_loop::{LoopSettings, ToolLoop, ToolRegistry};
/// use prometheus::Registry;
/// let tool_loop = ToolLoop::new(ToolRegistry::new(), LoopSettings::default())?;
/// let registry = Registry::new();
/// tool_loop.metrics().register(&registry)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ToolMetrics {
    pub(super) calls: IntCounterVec,
    pub(super) seconds: HistogramVec,
    pub(super) breakers: IntGaugeVec,
    /// The component that owns the tools, which is the first label. `None` outside of a sidecar.
    pub(super) component: Option<String>,
}

impl ToolMetrics {
    #[expect(clippy::expect_used, reason = "names and labels are constant and valid")]
    pub(crate) fn new() -> Self {
        Self::try_new(&[]).expect("valid metrics")
    }

    /// Creates metrics whose labels begin with `first`.
    pub(super) fn try_new(first: &[&str]) -> prometheus::Result<Self> {
        let labels = |rest: &[&'static str]| [first, rest].concat();
        let help = "Tool calls by outcome; cached calls did not run";
        let calls = Opts::new("mynah_tool_calls_total", help);
        let help = "Duration of tool calls in seconds, including retries";
        let seconds = HistogramOpts::new("mynah_tool_seconds", help).buckets(BUCKETS.into());
        let help = "State of tool circuit breakers: 0 closed, 1 half-open, 2 open";
        let breakers = Opts::new("mynah_tool_breaker", help);
        Ok(Self {
            calls: IntCounterVec::new(calls, &labels(&["outcome", "tool"]))?,
            seconds: HistogramVec::new(seconds, &labels(&["tool"]))?,
            breakers: IntGaugeVec::new(breakers, &labels(&["tool"]))?,
            component: None,
        })
    }

    /// Registers `mynah_tool_calls_total`, `mynah_tool_seconds` and `mynah_tool_breaker`.
    ///
    /// # Errors
    ///
    /// Fails if the registry has metrics of these names already.
    pub fn register(&self, registry: &Registry) -> prometheus::Result<()> {
        registry.register(Box::new(self.calls.clone()))?;
        registry.register(Box::new(self.seconds.clone()))?;
        registry.register(Box::new(self.breakers.clone()))
    }

    /// Counts a call. Pass `None` for a tool that is not registered. Models can make up any number
    /// of names, so such names are not used as labels.
    pub(super) fn count(&self, tool: Option<&str>, call: &CallRecord) {
        let tool = tool.unwrap_or_default();
        if call.outcome.ran() {
            self.seconds
                .with_label_values(&self.labels(&[tool]))
                .observe(call.duration.as_secs_f64());
        }
        self.calls.with_label_values(&self.labels(&[call.outcome.as_str(), tool])).inc();
    }

    /// Returns the gauge for the state of a tool's circuit breaker.
    pub(super) fn breaker(&self, tool: &str) -> IntGauge {
        self.breakers.with_label_values(&self.labels(&[tool]))
    }

    fn labels<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        self.component.as_deref().into_iter().chain(rest.iter().copied()).collect()
    }
}
