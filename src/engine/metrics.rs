//! Prometheus metrics, with Dapr's names where Dapr has the same metric.

use prometheus::{
    IntCounter, IntCounterVec, IntGauge, Opts, Registry, TEXT_FORMAT, TextEncoder, core::Collector,
};

use crate::tool_loop::OwnerMetrics;

/// The values of the label `success`.
const SUCCEEDED: &str = "true";
const FAILED: &str = "false";

/// The metrics of one sidecar.
#[derive(Debug)]
pub struct Metrics {
    /// Calls by component and success.
    conversations: IntCounterVec,
    reloads: ReloadCounters,
    /// Calls of the tools that components own.
    pub(super) tools: OwnerMetrics,
    registry: Registry,
}

/// The counters of one component. They are looked up in advance, so that a call only needs to
/// increment one.
#[derive(Debug, Clone)]
pub struct CallCounters {
    succeeded: IntCounter,
    failed: IntCounter,
}

#[derive(Debug)]
struct ReloadCounters {
    succeeded: IntCounter,
    failed: IntCounter,
}

impl Metrics {
    /// The media type of the [`text`](Self::text).
    pub const MEDIA_TYPE: &str = TEXT_FORMAT;

    /// Creates the metrics for an application's sidecar.
    #[expect(clippy::expect_used, reason = "names and labels are constant, valid and distinct")]
    pub fn new(app_id: &str) -> Self {
        Self::try_new(app_id).expect("valid metrics")
    }

    fn try_new(app_id: &str) -> prometheus::Result<Self> {
        let build = Opts::new("mynah_build_info", "Build information");
        let build = IntGauge::with_opts(build.const_label("version", env!("CARGO_PKG_VERSION")))?;
        build.set(1);
        let help = "Conversation calls that reached a component";
        let conversations = Opts::new("dapr_component_conversation_count", help)
            .const_label("app_id", app_id)
            .const_label("namespace", "");
        let conversations = IntCounterVec::new(conversations, &["component", "success"])?;
        let help = "Reloads of component files, by result";
        let reloads = Opts::new("mynah_component_reloads_total", help);
        let reloads = IntCounterVec::new(reloads, &["result"])?;
        let collectors: [Box<dyn Collector>; 3] =
            [Box::new(build), Box::new(conversations.clone()), Box::new(reloads.clone())];
        let registry = Registry::new();
        collectors.into_iter().try_for_each(|collector| registry.register(collector))?;
        let tools = OwnerMetrics::new()?;
        tools.register(&registry)?;
        // Create the counters now: Prometheus has to see one at zero to detect the first increment.
        let reloads = ReloadCounters {
            succeeded: reloads.with_label_values(&["ok"]),
            failed: reloads.with_label_values(&["failed"]),
        };
        Ok(Self { conversations, reloads, tools, registry })
    }

    /// Returns the counters of a component. Components that replace each other share them.
    pub fn call_counters(&self, component: &str) -> CallCounters {
        let counter = |success| self.conversations.with_label_values(&[component, success]);
        CallCounters { succeeded: counter(SUCCEEDED), failed: counter(FAILED) }
    }

    /// Removes the metrics of a component. Its calls in flight may still increment them.
    pub(super) fn remove_component(&self, component: &str) {
        self.tools.remove(component);
        for success in [SUCCEEDED, FAILED] {
            // Fails if they are removed already.
            let _ = self.conversations.remove_label_values(&[component, success]);
        }
    }

    /// Counts a reload of component files.
    pub(crate) fn count_reload(&self, succeeded: bool) {
        if succeeded { self.reloads.succeeded.inc() } else { self.reloads.failed.inc() }
    }

    /// Returns all metrics in the Prometheus text format.
    pub fn text(&self) -> String {
        // Only a metric without values is an error, and gathering leaves those out.
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}

impl CallCounters {
    pub(super) fn count(&self, success: bool) {
        if success { self.succeeded.inc() } else { self.failed.inc() }
    }
}
