//! Prometheus metrics, with Dapr's names where Dapr has the same metric.

use std::sync::Mutex;

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, info::Info},
    registry::Registry,
};

/// The metrics of one sidecar.
#[derive(Debug)]
pub struct Metrics {
    app_id: String,
    conversations: Family<Labels, Counter>,
    reloads: Family<ReloadLabels, Counter>,
    registry: Mutex<Registry>,
}

/// The counters of one component. They are looked up in advance, so that a call only needs to
/// increment one.
#[derive(Debug, Clone, Default)]
pub struct CallCounters {
    succeeded: Counter,
    failed: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    app_id: String,
    component: String,
    namespace: String,
    success: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReloadLabels {
    result: &'static str,
}

impl Metrics {
    /// Creates the metrics for an application's sidecar.
    pub fn new(app_id: &str) -> Self {
        let mut registry = Registry::default();
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("mynah_build", "Build information", build);
        let conversations = Family::<Labels, Counter>::default();
        registry.register(
            "dapr_component_conversation_count",
            "Conversation calls that reached a component",
            conversations.clone(),
        );
        let reloads = Family::<ReloadLabels, Counter>::default();
        for result in ["ok", "failed"] {
            // Create the counter now: Prometheus has to see it at zero to detect the first
            // increment.
            drop(reloads.get_or_create(&ReloadLabels { result }));
        }
        registry.register(
            "mynah_component_reloads",
            "Reloads of component files, by result",
            reloads.clone(),
        );
        Self { app_id: app_id.to_owned(), conversations, reloads, registry: Mutex::new(registry) }
    }

    /// Returns the counters of a component.
    pub fn call_counters(&self, component: &str) -> CallCounters {
        let counter = |success| {
            let labels = Labels {
                app_id: self.app_id.clone(),
                component: component.to_owned(),
                namespace: String::new(),
                success,
            };
            self.conversations.get_or_create(&labels).clone()
        };
        CallCounters { succeeded: counter("true"), failed: counter("false") }
    }

    /// Counts a reload of component files.
    pub(crate) fn count_reload(&self, succeeded: bool) {
        let result = if succeeded { "ok" } else { "failed" };
        self.reloads.get_or_create(&ReloadLabels { result }).inc();
    }

    /// Returns all metrics in the Prometheus text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Writing to a string does not fail.
        let _ = encode(&mut text, &registry);
        // The crate appends `_total` to the names of counters, as OpenMetrics requires. Dapr does
        // not.
        text.replace(
            "dapr_component_conversation_count_total{",
            "dapr_component_conversation_count{",
        )
    }
}

impl CallCounters {
    pub(super) fn count(&self, success: bool) {
        if success {
            self.succeeded.inc()
        } else {
            self.failed.inc()
        };
    }
}
