//! Prometheus metrics of the tools that components own.

use prometheus::{
    IntCounter, IntCounterVec, Opts, Registry,
    core::{Collector, MetricVec, MetricVecBuilder},
};

use crate::tool_loop::ToolMetrics;

/// The metrics of the tools of all components. The first label is the component.
#[derive(Debug)]
pub struct OwnerMetrics {
    tools: ToolMetrics,
    /// The requests that the memories of components have dropped.
    dropped: IntCounterVec,
}

impl OwnerMetrics {
    /// Creates the metrics. Their names are constant, so that this fails only if they are invalid.
    pub fn new() -> prometheus::Result<Self> {
        let help = "Requests that were dropped from the memory of tool calls";
        let dropped = Opts::new("mynah_tool_memory_dropped_total", help);
        Ok(Self {
            tools: ToolMetrics::try_new(&["component"])?,
            dropped: IntCounterVec::new(dropped, &["component"])?,
        })
    }

    /// Adds the metrics to a registry.
    pub fn register(&self, registry: &Registry) -> prometheus::Result<()> {
        self.tools.register(registry)?;
        registry.register(Box::new(self.dropped.clone()))
    }

    /// Returns the metrics of a component's tools.
    pub fn tools(&self, component: &str) -> ToolMetrics {
        ToolMetrics { component: Some(component.to_owned()), ..self.tools.clone() }
    }

    /// Returns the number of requests that the memory of a component has dropped.
    pub fn dropped(&self, component: &str) -> IntCounter {
        self.dropped.with_label_values(&[component])
    }

    /// Removes the metrics of a component. Its calls in flight may add some again.
    pub fn remove(&self, component: &str) {
        remove(&self.tools.calls, component);
        remove(&self.tools.seconds, component);
        remove(&self.tools.open_breakers, component);
        remove(&self.dropped, component);
    }
}

/// Removes the values whose first label is the component.
fn remove<B: MetricVecBuilder>(metrics: &MetricVec<B>, component: &str)
where
    MetricVec<B>: Collector,
{
    for family in metrics.collect() {
        for metric in family.get_metric() {
            // The labels are sorted by name, as they were declared.
            let labels: Vec<_> = metric.get_label().iter().map(|label| label.value()).collect();
            if labels.first() == Some(&component) {
                // Fails if the values are removed already.
                let _ = metrics.remove_label_values(&labels);
            }
        }
    }
}
