//! Judges how a client retries.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use twox_hash::XxHash3_64;

use super::{
    journal::{CallError, Entry, Outcome, READING, Selected},
    redactor::Redactor,
};
use crate::{
    base::work::{Stopped, Work},
    wire::sent::SentRequest,
};

/// Three retries within this time are a storm.
const STORM: Duration = Duration::from_millis(100);
const STORM_RETRIES: usize = 3;
/// More retries than this are a storm, however slow they are.
const MAX_RETRIES: usize = 10;
/// Clocks have a limited precision.
const TOLERANCE: Duration = Duration::from_millis(1);
/// The errors that a retry cannot fix.
const PERMANENT: [&str; 9] = [
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "FAILED_PRECONDITION",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// How a client retries. A retry is a call with the same request, session and component that began after
/// an earlier one had failed.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Verdict {
    /// Whether there are no violations.
    pub(crate) ok: bool,
    /// The number of retries.
    pub(crate) retries: u64,
    /// How often a retry succeeded.
    pub(crate) recovered: u64,
    /// The last calls of requests whose client gave up.
    pub(crate) gave_up: Vec<u64>,
    /// What the client must not do.
    pub(crate) violations: Vec<Violation>,
}

/// Something that a client must not do.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Violation {
    pub(crate) kind: ViolationKind,
    /// The numbers of the calls.
    pub(crate) calls: Vec<u64>,
    /// What the client did.
    pub(crate) message: String,
}

/// The kind of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ViolationKind {
    /// A retry came before the time that the error asked for.
    IgnoredRetryAfter,
    /// A retry followed an error that a retry cannot fix.
    RetriedPermanentError,
    /// There were three retries within 100 ms, or more than ten.
    RetryStorm,
}

/// Judges the client that made these calls.
///
/// # Errors
///
/// Fails if the work stops early.
pub(crate) fn judge(calls: &Selected, work: &Work) -> Result<Verdict, Stopped> {
    let mut requests: BTreeMap<_, Vec<&Entry>> = BTreeMap::new();
    for entry in &calls.entries {
        if let Some(request) = &entry.request {
            work.spend(READING.saturating_mul(request.body.len()))?;
            let key = (entry.session(), &entry.component, request_hash(request, &calls.redactor));
            requests.entry(key).or_default().push(entry);
        }
    }
    let mut verdict = Verdict::default();
    for mut calls in requests.into_values() {
        calls.sort_by_key(|call| call.time);
        for attempts in attempts(&calls) {
            verdict.judge_attempts(&attempts);
        }
    }
    verdict.gave_up.sort_unstable();
    verdict.violations.sort_by(|a, b| a.calls.cmp(&b.calls));
    verdict.ok = verdict.violations.is_empty();
    Ok(verdict)
}

/// Returns a hash of what a request says without its secrets, such as a token that the client has renewed.
/// Clients may write the keys of an object in another order each time.
fn request_hash(request: &SentRequest, redactor: &Redactor) -> u64 {
    match request.parsed() {
        Some(mut json) => {
            redactor.redact(&mut json);
            // The keys of a value are sorted.
            XxHash3_64::oneshot(json.to_string().as_bytes())
        }
        None => XxHash3_64::oneshot(&request.body),
    }
}

/// Groups the calls with one request, sorted by time, into attempts: a call and its retries. A call that
/// began before an earlier one had ended is not a retry of it.
fn attempts<'e>(calls: &[&'e Entry]) -> Vec<Vec<&'e Entry>> {
    let mut ended = Vec::new();
    // Attempts whose last call failed, by the time at which it did.
    let mut failed: BTreeMap<(Timestamp, u64), Vec<&Entry>> = BTreeMap::new();
    for call in calls {
        let first = failed.first_entry();
        let retried = first.filter(|first| first.key().0 <= call.time);
        let mut attempts = retried.map(|first| first.remove()).unwrap_or_default();
        attempts.push(*call);
        if is_ok(call) {
            ended.push(attempts);
        } else {
            let end = call.time.checked_add(call.duration).unwrap_or(Timestamp::MAX);
            failed.insert((end, call.number), attempts);
        }
    }
    ended.extend(failed.into_values());
    ended
}

impl Verdict {
    /// Judges the calls with one request up to the first success.
    fn judge_attempts(&mut self, attempts: &[&Entry]) {
        let Some((last, retries)) = attempts.last().zip(attempts.get(1..)) else { return };
        self.retries += retries.len() as u64;
        match &last.outcome {
            Outcome::Answered(_) => self.recovered += u64::from(!retries.is_empty()),
            Outcome::Failed(failure) if is_permanent(failure) => {}
            Outcome::Failed(_) | Outcome::Cancelled => self.gave_up.push(last.number),
        }
        for (failed, retry) in attempts.iter().zip(retries) {
            self.judge_retry(failed, retry);
        }
        self.judge_pace(retries);
    }

    fn judge_retry(&mut self, failed: &Entry, retry: &Entry) {
        let Outcome::Failed(failure) = &failed.outcome else { return };
        let calls = vec![failed.number, retry.number];
        if is_permanent(failure) {
            let message = format!("retried after {}, which a retry cannot fix", failure.code);
            self.add(ViolationKind::RetriedPermanentError, calls, message);
        } else if let Some(asked) = failure.retry_after {
            let waited = time_between(failed.time, retry.time).saturating_sub(failed.duration);
            if waited + TOLERANCE < asked {
                let message = format!("retried after {waited:?} instead of {asked:?}");
                self.add(ViolationKind::IgnoredRetryAfter, calls, message);
            }
        }
    }

    fn judge_pace(&mut self, retries: &[&Entry]) {
        let is_storm = |some: &&[&Entry]| match some {
            [first, .., last] => time_between(first.time, last.time) <= STORM,
            _ => false,
        };
        let message = if retries.len() > MAX_RETRIES {
            format!("retried {} times", retries.len())
        } else if retries.windows(STORM_RETRIES).any(|some| is_storm(&some)) {
            format!("retried {STORM_RETRIES} times within {STORM:?}")
        } else {
            return;
        };
        let calls = retries.iter().map(|retry| retry.number).collect();
        self.add(ViolationKind::RetryStorm, calls, message);
    }

    fn add(&mut self, kind: ViolationKind, calls: Vec<u64>, message: String) {
        self.violations.push(Violation { kind, calls, message });
    }
}

fn is_ok(call: &Entry) -> bool {
    matches!(call.outcome, Outcome::Answered(_))
}

fn is_permanent(failure: &CallError) -> bool {
    PERMANENT.contains(&failure.code)
}

/// Returns the time from `start` to `end`, or zero if `end` is earlier.
fn time_between(start: Timestamp, end: Timestamp) -> Duration {
    end.duration_since(start).try_into().unwrap_or_default()
}
