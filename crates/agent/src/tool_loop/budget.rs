//! Limits a run: counts its calls, and stops it when it is cancelled or takes too long.

use std::{collections::BTreeMap, future::Future, time::Duration};

use mynah_core::base::clock::{self, Moment};
use tokio_util::sync::CancellationToken;

use super::{LoopEnd, limited::LimitedTool, transcript::CallKey};

/// Counts calls against the limits of the run and of each tool.
#[derive(Debug)]
pub(super) struct CallBudget {
    remaining: Option<u32>,
    spent_by_tool: BTreeMap<String, u32>,
}

/// Counts consecutive turns with the same calls, to detect a model that makes no progress.
#[derive(Debug, Default)]
pub(super) struct StallDetector {
    equal_turns: u32,
    last_calls: Vec<CallKey>,
}

impl CallBudget {
    pub(super) fn new(max_calls: Option<u32>) -> Self {
        Self { remaining: max_calls, spent_by_tool: BTreeMap::new() }
    }

    /// Leaves no calls.
    pub(super) fn exhaust(&mut self) {
        self.remaining = Some(0);
    }

    /// Spends one call. Returns `false` if the run or the tool has no calls left.
    pub(super) fn try_spend(&mut self, tool: Option<&LimitedTool>) -> bool {
        if self.remaining == Some(0) {
            return false;
        }
        if let Some(tool) = tool
            && let Some(max) = tool.settings.max_calls
        {
            let spent = self.spent_by_tool.entry(tool.tool.name().to_owned()).or_default();
            if *spent == max {
                return false;
            }
            *spent += 1;
        }
        self.remaining = self.remaining.map(|remaining| remaining - 1);
        true
    }
}

impl StallDetector {
    /// Records the calls of a turn. Returns the number of consecutive turns with these calls.
    pub(super) fn record(&mut self, calls: Vec<CallKey>) -> u32 {
        self.equal_turns = if calls == self.last_calls { self.equal_turns + 1 } else { 1 };
        self.last_calls = calls;
        self.equal_turns
    }
}

/// Stops a run when the caller cancels it or the time limit is reached.
#[derive(Debug)]
pub(super) struct StopSignal {
    token: CancellationToken,
    started: Moment,
    limit: Duration,
}

impl StopSignal {
    pub(super) fn new(token: CancellationToken, limit: Duration) -> Self {
        Self { token, started: Moment::now(), limit }
    }

    /// Awaits `work`. If the run is stopped first, drops `work` and returns the reason.
    pub(super) async fn run_until_stopped<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, LoopEnd> {
        if self.token.is_cancelled() {
            return Err(LoopEnd::Cancelled);
        }
        if self.started.age() >= self.limit {
            return Err(LoopEnd::Budget);
        }
        tokio::select! {
            biased;
            // Most work does not wait, and then needs no timer.
            output = work => Ok(output),
            () = self.token.cancelled() => Err(LoopEnd::Cancelled),
            () = self.time_limit() => Err(LoopEnd::Budget),
        }
    }

    /// Completes when the time limit is reached.
    async fn time_limit(&self) {
        clock::pause(self.limit.saturating_sub(self.started.age())).await;
    }
}
