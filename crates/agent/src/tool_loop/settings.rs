//! The settings of a loop and of its tools.

use std::{fmt::Debug, ops::RangeBounds, time::Duration};

use thiserror::Error as ThisError;

use super::{DuplicatePolicy, Rendering};

/// The settings of a loop: limits, the duplicate policy and the rendering of calls.
///
/// [`ToolLoop::new`](super::ToolLoop::new) rejects values outside the documented ranges.
///
/// ```
/// use mynah_agent::tool_loop::LoopSettings;
/// let settings =
///     LoopSettings { max_turns: 20, max_calls: Some(100), ..LoopSettings::default() };
/// # assert_eq!(settings.max_concurrency, 8);
/// ```
#[derive(Debug, Clone)]
pub struct LoopSettings {
    /// Maximum number of model turns in a run: 1 to 50. Default: 12.
    pub max_turns: u32,
    /// Maximum number of calls in a run: at least 1. Default: no limit.
    ///
    /// All calls that the model makes count, including those that do not run.
    pub max_calls: Option<u32>,
    /// Maximum size of all texts, arguments and results of a run in bytes: at least 1. Default:
    /// 64 MiB. A run that exceeds it ends after the turn.
    pub max_bytes: usize,
    /// Maximum duration of a run: above zero. Default: 10 min.
    pub wall_clock: Duration,
    /// Maximum duration of a turn of the model, without its tools: above zero. Default: 2 min.
    pub model_timeout: Duration,
    /// Maximum number of tools that run concurrently in a turn: 1 to 256. Default: 8.
    pub max_concurrency: usize,
    /// Number of consecutive turns with the same calls after which a run ends: 2 to 50. Default: 3.
    pub stalled_after: u32,
    /// Which calls are duplicates and do not run. Default: those that repeat the previous call.
    pub duplicates: DuplicatePolicy,
    /// The form in which calls and results are sent to the model. Default: native.
    pub rendering: Rendering,
    /// Settings for all tools that are registered without [settings](ToolSettings) of their own.
    pub tools: ToolSettings,
}

/// The settings of a tool. They apply to one tool, or to all tools that have no settings of their
/// own as [`LoopSettings::tools`].
///
/// ```
/// use mynah_agent::tool_loop::{CacheSettings, ToolRegistry, ToolSettings};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Order { id: u32 }
/// let mut registry = ToolRegistry::new();
/// let cached = ToolSettings { cache: Some(CacheSettings::default()), ..ToolSettings::default() };
/// registry
///     .register("find_order", "Finds an order", async |order: Order| Ok(format!("{}", order.id)))?
///     .with_settings(cached);
/// # Ok::<(), mynah_agent::tool_loop::RegistryError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSettings {
    /// Maximum duration of an attempt: above zero. Default: 30 s.
    pub timeout: Duration,
    /// Maximum number of retries after a [transient](super::ToolErrorKind) error or a timeout: 0 to
    /// 10. Default: 0.
    ///
    /// There is no delay between attempts.
    pub retries: u32,
    /// Circuit breaker. Default: opens for 30 s after 5 consecutive failures.
    pub breaker: Option<BreakerSettings>,
    /// Result cache. Default: results are not cached.
    pub cache: Option<CacheSettings>,
    /// Maximum number of calls to the tool in a run: at least 1. Default: no limit.
    pub max_calls: Option<u32>,
    /// Maximum size of a result in bytes: at least 1. Default: 1 MiB.
    ///
    /// Longer results are truncated, with a note at the end.
    pub max_result: usize,
    /// Whether the same call may return a different result each time. If so, calls to the tool are
    /// never duplicates. Default: `false`.
    pub repeatable: bool,
}

/// The settings of a circuit breaker. All runs of a loop share the breaker of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Number of consecutive failures after which the circuit opens: at least 1. Default: 5.
    ///
    /// A call counts once, even if it is retried. Calls with invalid arguments, calls that the tool
    /// refused, and calls rejected because the circuit is open, do not count.
    pub failures: u32,
    /// Time for which the circuit stays open: above zero. Default: 30 s.
    ///
    /// After this time, one trial call decides whether the circuit closes or opens again.
    pub open_for: Duration,
}

/// The settings of a result cache. All runs of a loop share the cache of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSettings {
    /// Time after which a result expires: above zero. Default: 5 min.
    pub ttl: Duration,
    /// Maximum number of results: at least 1. Default: 1,000. The oldest are evicted first.
    pub entries: usize,
    /// Maximum size of all arguments and results in bytes: at least 1. Default: 16 MiB.
    pub bytes: usize,
}

/// The error returned if a setting is out of range.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("invalid {setting}: {value}; expected {expected}")]
pub struct SettingsError {
    /// Name of the setting, such as `max_turns` or `timeout of find_order`.
    pub setting: String,
    /// The invalid value.
    pub value: String,
    /// The range of valid values.
    pub expected: String,
}

impl Default for LoopSettings {
    fn default() -> Self {
        Self {
            max_turns: 12,
            max_calls: None,
            max_bytes: 64 << 20,
            wall_clock: Duration::from_secs(10 * 60),
            model_timeout: Duration::from_secs(2 * 60),
            max_concurrency: 8,
            stalled_after: 3,
            duplicates: DuplicatePolicy::default(),
            rendering: Rendering::default(),
            tools: ToolSettings::default(),
        }
    }
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            retries: 0,
            breaker: Some(BreakerSettings::default()),
            cache: None,
            max_calls: None,
            max_result: 1 << 20,
            repeatable: false,
        }
    }
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { failures: 5, open_for: Duration::from_secs(30) }
    }
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self { ttl: Duration::from_secs(5 * 60), entries: 1_000, bytes: 16 << 20 }
    }
}

impl LoopSettings {
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        check_range("max_turns", self.max_turns, 1..=50)?;
        check_range("max_calls", self.max_calls.unwrap_or(1), 1..)?;
        check_range("max_bytes", self.max_bytes, 1..)?;
        check_range("wall_clock", self.wall_clock, TICK..)?;
        check_range("model_timeout", self.model_timeout, TICK..)?;
        check_range("max_concurrency", self.max_concurrency, 1..=256)?;
        check_range("stalled_after", self.stalled_after, 2..=50)?;
        self.tools.check()
    }
}

impl ToolSettings {
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        check_range("timeout", self.timeout, TICK..)?;
        check_range("retries", self.retries, 0..=10)?;
        check_range("max_calls", self.max_calls.unwrap_or(1), 1..)?;
        check_range("max_result", self.max_result, 1..)?;
        if let Some(breaker) = &self.breaker {
            check_range("failures", breaker.failures, 1..)?;
            check_range("open_for", breaker.open_for, TICK..)?;
        }
        if let Some(cache) = &self.cache {
            check_range("ttl", cache.ttl, TICK..)?;
            check_range("entries", cache.entries, 1..)?;
            check_range("bytes", cache.bytes, 1..)?;
        }
        Ok(())
    }
}

/// The shortest duration above zero.
const TICK: Duration = Duration::from_nanos(1);

/// Checks that a value is in its valid range.
fn check_range<T: PartialOrd + Debug + Copy>(
    setting: &str,
    value: T,
    expected: impl RangeBounds<T> + Debug,
) -> Result<(), SettingsError> {
    if expected.contains(&value) {
        return Ok(());
    }
    let (value, expected) = (format!("{value:?}"), format!("{expected:?}"));
    Err(SettingsError { setting: setting.to_owned(), value, expected })
}
