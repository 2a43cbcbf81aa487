//! Prometheus metrics, with Dapr's names where Dapr has the same metric.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry,
    TEXT_FORMAT, TextEncoder, core::Collector,
};

use super::journal::{CallOutcome, DroppedEntries};
use crate::{base::memory::MemoryBudget, provider::call::Surface, tool_loop::OwnerMetrics};

/// The values of the label `success`.
const SUCCEEDED: &str = "true";
const FAILED: &str = "false";
/// The upper bounds of latencies in milliseconds, which are daprd's.
const LATENCIES: [f64; 34] = [
    1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 25.0, 30.0, 40.0, 50.0, 65.0, 80.0,
    100.0, 130.0, 160.0, 200.0, 250.0, 300.0, 400.0, 500.0, 650.0, 800.0, 1_000.0, 2_000.0,
    5_000.0, 10_000.0, 20_000.0, 50_000.0, 100_000.0,
];

/// The metrics of one sidecar.
#[derive(Debug)]
pub struct Metrics {
    calls: CallVectors,
    /// The metrics of calls that reach no component.
    pub(super) no_component: Arc<CallMetrics>,
    reloads: ReloadCounters,
    /// Entries that the journal has dropped.
    pub(crate) journal_dropped: DroppedEntries,
    /// Counts of sessions that were dropped because of a limit.
    pub(super) counts_dropped: IntCounter,
    /// Calls of the tools that components own.
    pub(super) tools: OwnerMetrics,
    memory_bytes: IntGauge,
    /// The budget whose use is shown, unless nothing is served.
    memory: OnceLock<Arc<MemoryBudget>>,
    registry: Registry,
}

/// The metrics of all calls.
#[derive(Debug, Clone)]
struct CallVectors {
    /// Calls by component and success.
    conversations: IntCounterVec,
    /// The durations of calls by component and success.
    latencies: HistogramVec,
    /// Calls by surface, component and outcome.
    requests: IntCounterVec,
}

/// The metrics of the calls of one component. They are looked up once, so that a call only needs to
/// increment them.
#[derive(Debug)]
pub(crate) struct CallMetrics {
    /// The name of the component.
    pub(super) component: Arc<str>,
    /// The numbers of succeeded and failed calls, unless there is no component.
    conversations: Option<[IntCounter; 2]>,
    latencies: [OnceLock<Histogram>; 2],
    requests: [[OnceLock<IntCounter>; CallOutcome::ALL.len()]; Surface::ALL.len()],
    vectors: CallVectors,
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
        let calls = CallVectors::new(app_id)?;
        let help = "Reloads of component files, by result";
        let reloads = Opts::new("mynah_component_reloads_total", help);
        let reloads = IntCounterVec::new(reloads, &["result"])?;
        let help = "Entries that the journal dropped because there was no room";
        let in_memory = IntCounter::new("mynah_journal_dropped_total", help)?;
        let help = "Entries that were not written to the journal file";
        let in_file = IntCounter::new("mynah_journal_file_dropped_total", help)?;
        let journal_dropped = DroppedEntries { in_memory, in_file };
        let help = "Counts of sessions that were dropped because of a limit";
        let counts_dropped = IntCounter::new("mynah_session_counts_dropped_total", help)?;
        let help = "Memory that calls use, as far as --max-memory limits it";
        let memory_bytes = IntGauge::new("mynah_memory_bytes", help)?;
        let collectors: [Box<dyn Collector>; 9] = [
            Box::new(build),
            Box::new(calls.conversations.clone()),
            Box::new(calls.latencies.clone()),
            Box::new(calls.requests.clone()),
            Box::new(reloads.clone()),
            Box::new(journal_dropped.in_memory.clone()),
            Box::new(journal_dropped.in_file.clone()),
            Box::new(counts_dropped.clone()),
            Box::new(memory_bytes.clone()),
        ];
        let registry = Registry::new();
        collectors.into_iter().try_for_each(|collector| registry.register(collector))?;
        let tools = OwnerMetrics::new()?;
        tools.register(&registry)?;
        // Create the counters now: Prometheus has to see one at zero to detect the first increment.
        let reloads = ReloadCounters {
            succeeded: reloads.with_label_values(&["ok"]),
            failed: reloads.with_label_values(&["failed"]),
        };
        let no_component = Arc::new(CallMetrics::new(calls.clone(), "", None));
        Ok(Self {
            calls,
            no_component,
            reloads,
            journal_dropped,
            counts_dropped,
            tools,
            memory_bytes,
            memory: OnceLock::new(),
            registry,
        })
    }

    /// Returns the metrics of a component. Components that replace each other share them.
    pub(super) fn call_metrics(&self, component: &str) -> Arc<CallMetrics> {
        let counter = |success| self.calls.conversations.with_label_values(&[component, success]);
        let conversations = Some([counter(SUCCEEDED), counter(FAILED)]);
        Arc::new(CallMetrics::new(self.calls.clone(), component, conversations))
    }

    /// Removes the metrics of a component. Its calls in flight may still increment them.
    pub(super) fn remove_component(&self, component: &str) {
        self.tools.remove(component);
        let CallVectors { conversations, latencies, requests } = &self.calls;
        // Removing fails if there is no such metric.
        for success in [SUCCEEDED, FAILED] {
            let _ = conversations.remove_label_values(&[component, success]);
            let _ = latencies.remove_label_values(&[component, success]);
        }
        for surface in Surface::ALL {
            for outcome in CallOutcome::ALL {
                let labels = [surface.as_str(), component, outcome.as_str()];
                let _ = requests.remove_label_values(&labels);
            }
        }
    }

    /// Counts a reload of component files.
    pub(crate) fn count_reload(&self, succeeded: bool) {
        if succeeded { self.reloads.succeeded.inc() } else { self.reloads.failed.inc() }
    }

    /// Shows the use of a budget. The first one counts.
    pub(crate) fn show_memory(&self, budget: Arc<MemoryBudget>) {
        self.memory.get_or_init(|| budget);
    }

    /// Returns all metrics in the Prometheus text format.
    pub fn text(&self) -> String {
        let used = self.memory.get().map_or(0, |budget| budget.used());
        self.memory_bytes.set(i64::try_from(used).unwrap_or(i64::MAX));
        // Only a metric without values is an error, and gathering leaves those out.
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}

impl CallVectors {
    fn new(app_id: &str) -> prometheus::Result<Self> {
        let help = "Conversation calls that reached a component";
        let conversations = Opts::new("dapr_component_conversation_count", help)
            .const_label("app_id", app_id)
            .const_label("namespace", "");
        let help = "Durations of conversation calls that reached a component, in milliseconds";
        let latencies = HistogramOpts::new("dapr_component_conversation_latencies", help)
            .const_label("app_id", app_id)
            .const_label("namespace", "")
            .buckets(LATENCIES.into());
        let help = "Conversation calls, by surface, component and outcome";
        let requests = Opts::new("mynah_requests_total", help);
        let labels = ["component", "success"];
        Ok(Self {
            conversations: IntCounterVec::new(conversations, &labels)?,
            latencies: HistogramVec::new(latencies, &labels)?,
            requests: IntCounterVec::new(requests, &["surface", "component", "outcome"])?,
        })
    }
}

impl CallMetrics {
    fn new(vectors: CallVectors, component: &str, conversations: Option<[IntCounter; 2]>) -> Self {
        let (component, latencies, requests) =
            (component.into(), Default::default(), Default::default());
        Self { component, conversations, latencies, requests, vectors }
    }

    /// Counts a call.
    pub(super) fn count(&self, surface: Option<Surface>, outcome: CallOutcome, duration: Duration) {
        let failed = usize::from(outcome != CallOutcome::Ok);
        if let Some(conversations) = &self.conversations {
            conversations[failed].inc();
            let success = [SUCCEEDED, FAILED][failed];
            let latency = self.latencies[failed].get_or_init(|| {
                self.vectors.latencies.with_label_values(&[&*self.component, success])
            });
            latency.observe(duration.as_secs_f64() * 1000.0);
        }
        if let Some(surface) = surface {
            let counter = self.requests[surface as usize][outcome as usize].get_or_init(|| {
                let labels = [surface.as_str(), &*self.component, outcome.as_str()];
                self.vectors.requests.with_label_values(&labels)
            });
            counter.inc();
        }
    }
}
