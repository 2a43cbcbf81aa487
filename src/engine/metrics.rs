//! Prometheus metrics, with Dapr's names.

use std::sync::Mutex;

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, info::Info},
    registry::Registry,
};

/// All metrics of one sidecar.
#[derive(Debug)]
pub struct Metrics {
    app_id: String,
    conversations: Family<Labels, Counter>,
    reloads: Family<ReloadLabels, Counter>,
    registry: Mutex<Registry>,
}

/// The counters of one component, found once so that a call only adds to a number.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    answered: Counter,
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
    /// Metrics of the sidecar of that application, all at zero.
    pub fn new(app_id: &str) -> Self {
        let mut registry = Registry::default();
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("mynah_build", "The program that answers", build);
        let conversations = Family::<Labels, Counter>::default();
        registry.register(
            "dapr_component_conversation_count",
            "Conversation calls that reached a component",
            conversations.clone(),
        );
        let reloads = Family::<ReloadLabels, Counter>::default();
        for result in ["ok", "failed"] {
            // A counter that comes with its first count hides that from Prometheus.
            drop(reloads.get_or_create(&ReloadLabels { result }));
        }
        registry.register(
            "mynah_component_reloads",
            "Edited components that were taken, or refused for their problems",
            reloads.clone(),
        );
        Self { app_id: app_id.to_owned(), conversations, reloads, registry: Mutex::new(registry) }
    }

    /// The counters of one component.
    pub fn calls(&self, component: &str) -> Calls {
        let counter = |success| {
            let labels = Labels {
                app_id: self.app_id.clone(),
                component: component.to_owned(),
                namespace: String::new(),
                success,
            };
            self.conversations.get_or_create(&labels).clone()
        };
        Calls { answered: counter("true"), failed: counter("false") }
    }

    /// Counts edited components, which were taken or refused.
    pub(crate) fn count_reload(&self, taken: bool) {
        let result = if taken { "ok" } else { "failed" };
        self.reloads.get_or_create(&ReloadLabels { result }).inc();
    }

    /// All metrics in Prometheus' text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &registry);
        // The crate ends the names of counters as OpenMetrics has it; Dapr does not.
        text.replace(
            "dapr_component_conversation_count_total{",
            "dapr_component_conversation_count{",
        )
    }
}

impl Calls {
    pub(crate) fn count(&self, success: bool) {
        if success {
            self.answered.inc()
        } else {
            self.failed.inc()
        };
    }
}
