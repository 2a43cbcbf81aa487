//! Prometheus metrics of tools.

use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
    core::Collector,
    proto::{Metric, MetricFamily},
};

use super::CallRecord;

/// Upper bounds of the duration buckets in seconds, from fast lookups to timeouts.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 60.0];

/// Metrics of a loop's tools. Clones share their values.
///
/// ```
/// use std::sync::Arc;
///
/// use mynah_agent::tool_loop::{LoopSettings, ToolLoop, ToolRegistry, prometheus::Registry};
/// use mynah_echo::{Echo, EchoSettings};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Nothing {}
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut tools = ToolRegistry::new();
/// tools.register("get_time", "The time of day", |_: Nothing| "12:30")?;
/// let tool_loop = ToolLoop::new(tools, LoopSettings::default())?;
/// let model = Arc::new(Echo::new("echo", EchoSettings::default()));
/// tool_loop.run(model, "Get the time.").await.answer()?;
///
/// let metrics = tool_loop.metrics();
/// assert_eq!(metrics.calls("get_time", "succeeded"), 1);
/// let line = r#"mynah_tool_calls_total{outcome="succeeded",tool="get_time"} 1"#;
/// assert!(metrics.to_text().lines().any(|sample| sample == line));
///
/// // To serve them with other metrics, use a registry of your own.
/// metrics.register(&Registry::new())?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ToolMetrics {
    pub(super) calls: IntCounterVec,
    pub(super) seconds: HistogramVec,
    pub(super) open_breakers: IntGaugeVec,
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
        let help = "Circuit breakers of tools that are open or half-open";
        let open_breakers = Opts::new("mynah_tool_open_breakers", help);
        Ok(Self {
            calls: IntCounterVec::new(calls, &labels(&["outcome", "tool"]))?,
            seconds: HistogramVec::new(seconds, &labels(&["tool"]))?,
            open_breakers: IntGaugeVec::new(open_breakers, &labels(&["tool"]))?,
            component: None,
        })
    }

    /// Returns how many calls to a tool had this outcome, named as by
    /// [`CallOutcome::as_str`](super::CallOutcome::as_str).
    pub fn calls(&self, tool: &str, outcome: &str) -> u64 {
        let has = |metric: &Metric, name: &str, value: &str| {
            metric.get_label().iter().any(|label| label.name() == name && label.value() == value)
        };
        let families = self.calls.collect();
        let samples = families.iter().flat_map(MetricFamily::get_metric);
        let samples = samples.filter(|it| has(it, "tool", tool) && has(it, "outcome", outcome));
        samples.map(|sample| sample.get_counter().get_value() as u64).sum()
    }

    /// Returns all metrics in the text format of Prometheus.
    pub fn to_text(&self) -> String {
        let registry = Registry::new();
        let registered = self.register(&registry);
        let text =
            registered.and_then(|()| TextEncoder::new().encode_to_string(&registry.gather()));
        // This never fails: the registry is empty before.
        text.unwrap_or_default()
    }

    /// Registers `mynah_tool_calls_total`, `mynah_tool_seconds` and `mynah_tool_open_breakers`.
    ///
    /// # Errors
    ///
    /// Fails if the registry has metrics of these names already.
    pub fn register(&self, registry: &Registry) -> prometheus::Result<()> {
        registry.register(Box::new(self.calls.clone()))?;
        registry.register(Box::new(self.seconds.clone()))?;
        registry.register(Box::new(self.open_breakers.clone()))
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

    /// Returns the number of open circuit breakers of a tool.
    pub(super) fn open_breakers(&self, tool: &str) -> IntGauge {
        self.open_breakers.with_label_values(&self.labels(&[tool]))
    }

    fn labels<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        self.component.as_deref().into_iter().chain(rest.iter().copied()).collect()
    }
}
