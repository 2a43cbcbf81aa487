//! A tool with its limits: timeout, retries, circuit breaker and cache.

use std::{
    collections::{BTreeMap, VecDeque},
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mynah_core::base::clock::{self, Moment};
use prometheus::IntGauge;
use serde_json::Value;

use super::{
    BreakerSettings, CacheSettings, CallFailure, CallOutcome, SettingsError, ToolContext,
    ToolMetrics, ToolOutput, ToolSettings, registry::RegisteredTool, transcript::CallKey,
};

/// The outcome of a call and its result, or the reason why there is no result.
pub(super) type CallResult = Result<(CallOutcome, ToolOutput), CallFailure>;

/// A tool with its limits. All runs share its circuit breaker and cache.
#[derive(Debug)]
pub(super) struct LimitedTool {
    pub(super) tool: RegisteredTool,
    pub(super) settings: ToolSettings,
    breaker: Option<Breaker>,
    cache: Option<Cache>,
}

impl LimitedTool {
    /// Adds limits to a tool. `default` has the settings of a tool without settings of its own.
    pub(super) fn new(
        mut tool: RegisteredTool,
        default: &ToolSettings,
        metrics: &ToolMetrics,
    ) -> Result<Self, SettingsError> {
        let settings = tool.settings.take().unwrap_or_else(|| default.clone());
        settings.check().map_err(|error| SettingsError {
            setting: format!("{} of {}", error.setting, tool.name()),
            ..error
        })?;
        Ok(Self::with_settings(tool, settings, metrics))
    }

    fn with_settings(tool: RegisteredTool, settings: ToolSettings, metrics: &ToolMetrics) -> Self {
        let breaker = |settings| Breaker::new(settings, metrics.open_breakers(tool.name()));
        let breaker = settings.breaker.map(breaker);
        let cache = settings.cache.map(Cache::new);
        Self { tool, settings, breaker, cache }
    }

    /// Returns the same tool with a circuit breaker and a cache of its own.
    pub(super) fn fresh(&self, metrics: &ToolMetrics) -> Self {
        Self::with_settings(self.tool.clone(), self.settings.clone(), metrics)
    }

    /// Returns the size of what the tool keeps between calls, in bytes.
    pub(super) fn state_size(&self) -> usize {
        size_of::<Self>() + self.cache.as_ref().map_or(0, Cache::bytes)
    }

    /// Returns the cached result, or calls the tool.
    pub(super) async fn call(
        &self,
        arguments: Value,
        key: &CallKey,
        context: ToolContext,
    ) -> CallResult {
        if let Some(result) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return Ok((CallOutcome::Cached, result));
        }
        let run = self.run(arguments, context);
        let result = match &self.breaker {
            Some(breaker) => breaker.run(run).await,
            None => run.await,
        };
        let result = result?.truncate(self.settings.max_result);
        if let Some(cache) = &self.cache {
            cache.insert(key, &result);
        }
        Ok((CallOutcome::Succeeded, result))
    }

    /// Runs the tool until it succeeds or the retries are used up. Only transient errors and timeouts
    /// are retried. Returns the result of the last attempt.
    async fn run(&self, arguments: Value, context: ToolContext) -> Result<ToolOutput, CallFailure> {
        let ToolSettings { timeout, retries, .. } = self.settings;
        let run_once = async |arguments, context| {
            let result = clock::within(timeout, self.tool.run(arguments, context)).await;
            result.unwrap_or(Err(CallFailure::TimedOut(timeout)))
        };
        for _ in 0..retries {
            // Each attempt has a token of its own.
            let attempt = context.for_attempt();
            match run_once(arguments.clone(), attempt).await {
                Err(failure) if failure.is_transient() => {}
                result => return result,
            }
        }
        run_once(arguments, context).await
    }
}

/// A circuit breaker, shared by all runs of a loop.
///
/// The breaker opens after a set number of consecutive failures, and rejects all calls while open.
/// After a set time, it becomes half-open and permits one trial call. The outcome of the trial call
/// closes the breaker or opens it again.
#[derive(Debug)]
struct Breaker {
    settings: BreakerSettings,
    state: Mutex<State>,
    /// The number of breakers that are not closed, of which this is one.
    open_breakers: IntGauge,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Closed { failures: u32 },
    Open { since: Moment },
    HalfOpen { open_since: Moment },
}

impl Breaker {
    fn new(settings: BreakerSettings, open_breakers: IntGauge) -> Self {
        Self { settings, state: Mutex::new(State::Closed { failures: 0 }), open_breakers }
    }

    /// Awaits a call, unless the circuit is open or a trial call is in progress.
    async fn run(
        &self,
        call: impl Future<Output = Result<ToolOutput, CallFailure>>,
    ) -> Result<ToolOutput, CallFailure> {
        let is_trial = self.permit().ok_or(CallFailure::CircuitOpen)?;
        // Without an outcome if the call is dropped, or if the tool refuses it, which says nothing
        // about whether the tool works.
        let mut outcome = scopeguard::guard(None, |outcome| self.record(is_trial, outcome));
        let result = call.await;
        if !result.as_ref().is_err_and(CallFailure::is_refusal) {
            *outcome = Some(result.is_ok());
        }
        result
    }

    /// Permits a call, and returns whether it is a trial. Otherwise, returns `None`.
    fn permit(&self) -> Option<bool> {
        let mut state = self.state();
        match *state {
            State::Closed { .. } => Some(false),
            State::Open { since } if since.age() >= self.settings.open_for => {
                self.enter(&mut state, State::HalfOpen { open_since: since });
                Some(true)
            }
            State::Open { .. } | State::HalfOpen { .. } => None,
        }
    }

    /// Records whether a call succeeded, if that is known.
    fn record(&self, is_trial: bool, succeeded: Option<bool>) {
        let mut state = self.state();
        let failures = match (*state, succeeded) {
            (State::Closed { .. }, Some(true)) => 0,
            (State::HalfOpen { .. }, Some(true)) if is_trial => 0,
            (State::Closed { failures }, Some(false)) => failures + 1,
            (State::HalfOpen { .. }, Some(false)) if is_trial => self.settings.failures,
            // The next call becomes the trial.
            (State::HalfOpen { open_since: since }, None) if is_trial => {
                return self.enter(&mut state, State::Open { since });
            }
            // The call started before the circuit opened, so it does not count.
            _ => return,
        };
        if failures < self.settings.failures {
            return self.enter(&mut state, State::Closed { failures });
        }
        tracing::warn!(open_for = ?self.settings.open_for, "circuit opened after repeated failures");
        self.enter(&mut state, State::Open { since: Moment::now() });
    }

    fn enter(&self, state: &mut State, next: State) {
        self.open_breakers.add(next.open_breakers() - state.open_breakers());
        *state = next;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns how much a breaker in this state adds to the number of open breakers.
    fn open_breakers(self) -> i64 {
        i64::from(!matches!(self, Self::Closed { .. }))
    }
}

impl Drop for Breaker {
    fn drop(&mut self) {
        let mut state = self.state();
        self.enter(&mut state, State::Closed { failures: 0 });
    }
}

/// Caches a tool's results, keyed by call, for all runs of a loop. The oldest results are evicted
/// first.
#[derive(Debug)]
struct Cache {
    settings: CacheSettings,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    results: BTreeMap<CallKey, ToolOutput>,
    /// The entries with their insertion times, oldest first. All entries have the same TTL, so they
    /// also expire in this order.
    inserted: VecDeque<(Moment, CallKey)>,
    bytes: usize,
}

impl Cache {
    fn new(settings: CacheSettings) -> Self {
        Self { settings, entries: Mutex::default() }
    }

    /// Returns the size of all entries.
    fn bytes(&self) -> usize {
        self.entries().bytes
    }

    fn get(&self, key: &CallKey) -> Option<ToolOutput> {
        self.entries().results.get(key).cloned()
    }

    /// Caches a result, unless it alone exceeds the size limit of the cache.
    fn insert(&self, key: &CallKey, result: &ToolOutput) {
        let bytes = entry_size(key, result);
        let mut entries = self.entries();
        // If the same call runs twice at the same time, keep the first result.
        if bytes <= self.settings.bytes && !entries.results.contains_key(key) {
            entries.results.insert(key.clone(), result.clone());
            entries.inserted.push_back((Moment::now(), key.clone()));
            entries.bytes += bytes;
            self.evict(&mut entries);
        }
    }

    /// Returns the entries that have not expired.
    fn entries(&self) -> MutexGuard<'_, Entries> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        self.evict(&mut entries);
        entries
    }

    /// Evicts expired and excess entries.
    fn evict(&self, entries: &mut Entries) {
        let CacheSettings { ttl, entries: max_entries, bytes } = self.settings;
        while let Some((inserted, key)) = entries.inserted.front()
            && (inserted.age() >= ttl
                || entries.inserted.len() > max_entries
                || entries.bytes > bytes)
        {
            if let Some(result) = entries.results.remove(key) {
                entries.bytes -= entry_size(key, &result);
            }
            entries.inserted.pop_front();
        }
    }
}

/// Returns the size of an entry in bytes, which consists of the key and the result.
fn entry_size(key: &CallKey, result: &ToolOutput) -> usize {
    key.as_str().len() + result.text.len()
}
