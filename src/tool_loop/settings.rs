//! What a loop may do, with what holds where nothing else is said.

use std::{collections::BTreeMap, fmt::Debug, ops::RangeBounds, time::Duration};

use thiserror::Error as ThisError;

use super::{Duplicates, Rendering};

/// The limits of a loop, and how it talks to the model.
///
/// ```
/// use mynah::tool_loop::{CacheSettings, LoopSettings, ToolSettings};
/// let cached = ToolSettings { cache: Some(CacheSettings::default()), ..ToolSettings::default() };
/// let settings = LoopSettings {
///     max_turns: 20,
///     max_calls: Some(100),
///     by_tool: [("find_order".to_owned(), cached)].into(),
///     ..LoopSettings::default()
/// };
/// # assert_eq!(settings.at_once, 8);
/// ```
#[derive(Debug, Clone)]
pub struct LoopSettings {
    /// Most turns of the model, 1 to 50; 12.
    pub max_turns: u32,
    /// Most calls of all tools in a run, at least 1; no limit. Every call that the model makes
    /// counts, run or not.
    pub max_calls: Option<u32>,
    /// The longest that a run may take, above zero; no limit.
    pub wall_clock: Option<Duration>,
    /// Most tools that run at once, 1 to 256; 8.
    pub at_once: usize,
    /// So many turns in a row that make the same calls end the loop, 2 to 50; 3.
    pub stalled_after: u32,
    /// Which calls are not run, since they were made already; what equals the latest.
    pub duplicates: Duplicates,
    /// How calls and results look to the model; native.
    pub rendering: Rendering,
    /// The limits of every tool that has none of its own.
    pub tools: ToolSettings,
    /// The limits of single tools, by name.
    pub by_tool: BTreeMap<String, ToolSettings>,
}

/// The limits of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSettings {
    /// The longest that it may run, above zero; 30 s.
    pub timeout: Duration,
    /// How often it is tried again, at once, after an error or a timeout, 0 to 10; 0.
    pub retries: u32,
    /// When it rests; after 5 failures in a row, for 30 s.
    pub breaker: Option<BreakerSettings>,
    /// How its results are kept for equal calls; not at all.
    pub cache: Option<CacheSettings>,
    /// Most calls in a run, at least 1; no limit.
    pub max_calls: Option<u32>,
    /// The longest result, in bytes, at least 1; 1 MiB. What is longer is cut, with a note.
    pub max_result: usize,
    /// Whether the same call may have another result each time, and so is never a duplicate; no.
    pub repeatable: bool,
}

/// When a tool rests that fails. It is shared by all runs of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// So many failures in a row, at least 1; 5. A call counts once, however often it is
    /// tried; a refused one does not.
    pub failures: u32,
    /// How long no call gets through, above zero; 30 s. Then one does, on trial: its outcome
    /// decides.
    pub open_for: Duration,
}

/// How results are kept. They are shared by all runs of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSettings {
    /// How long, above zero; 5 min.
    pub ttl: Duration,
    /// How many, at least 1; 1,000. The oldest go first.
    pub entries: usize,
    /// How many bytes, arguments and results together, at least 1; 16 MiB.
    pub bytes: usize,
}

/// A setting that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum SettingsError {
    /// Outside what is valid.
    #[error("invalid {setting}: {value}; valid is {valid}")]
    Outside {
        /// Its name.
        setting: &'static str,
        /// What was given.
        value: String,
        /// What could be.
        valid: String,
    },
    /// A tool that the loop has not.
    #[error("settings for the tool {0:?}, which is not registered")]
    UnknownTool(String),
}

impl Default for LoopSettings {
    fn default() -> Self {
        Self {
            max_turns: 12,
            max_calls: None,
            wall_clock: None,
            at_once: 8,
            stalled_after: 3,
            duplicates: Duplicates::default(),
            rendering: Rendering::default(),
            tools: ToolSettings::default(),
            by_tool: BTreeMap::new(),
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
        within("max_turns", self.max_turns, 1..=50)?;
        within("max_calls", self.max_calls.unwrap_or(1), 1..)?;
        within("wall_clock", self.wall_clock.unwrap_or(TICK), TICK..)?;
        within("at_once", self.at_once, 1..=256)?;
        within("stalled_after", self.stalled_after, 2..=50)?;
        std::iter::once(&self.tools).chain(self.by_tool.values()).try_for_each(ToolSettings::check)
    }

    /// The limits of one tool.
    pub(super) fn of(&self, tool: &str) -> &ToolSettings {
        self.by_tool.get(tool).unwrap_or(&self.tools)
    }
}

impl ToolSettings {
    fn check(&self) -> Result<(), SettingsError> {
        within("timeout", self.timeout, TICK..)?;
        within("retries", self.retries, 0..=10)?;
        within("max_calls", self.max_calls.unwrap_or(1), 1..)?;
        within("max_result", self.max_result, 1..)?;
        if let Some(breaker) = &self.breaker {
            within("failures", breaker.failures, 1..)?;
            within("open_for", breaker.open_for, TICK..)?;
        }
        if let Some(cache) = &self.cache {
            within("ttl", cache.ttl, TICK..)?;
            within("entries", cache.entries, 1..)?;
            within("bytes", cache.bytes, 1..)?;
        }
        Ok(())
    }
}

/// The shortest time above zero.
const TICK: Duration = Duration::from_nanos(1);

fn within<T: PartialOrd + Debug + Copy>(
    setting: &'static str,
    value: T,
    valid: impl RangeBounds<T> + Debug,
) -> Result<(), SettingsError> {
    if valid.contains(&value) {
        return Ok(());
    }
    let (value, valid) = (format!("{value:?}"), format!("{valid:?}"));
    Err(SettingsError::Outside { setting, value, valid })
}
