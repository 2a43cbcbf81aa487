//! Decides which calls a fault applies to.

use std::{hash::Hasher, num::NonZeroU64};

use mynah_core::provider::{CallContext, counters::Counters};
use twox_hash::XxHash3_64;

/// The calls of a session that a fault applies to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Trigger {
    Always,
    /// The first calls.
    First(NonZeroU64),
    /// Every n-th call.
    Every(NonZeroU64),
    /// Some attempts of a request in a session, in whatever order different requests arrive.
    Probability {
        probability: f64,
        seed: u64,
    },
}

impl Trigger {
    /// Returns `true` if the fault applies to a call. Counts the call or the attempt under `key` if
    /// necessary. `fault` identifies the fault, so that faults with the same seed are independent.
    pub(super) fn applies(
        self,
        key: impl FnOnce() -> String,
        fault: (&str, usize),
        request: u64,
        context: &CallContext,
    ) -> bool {
        // Outside of a sidecar there is no count, and each call is the first one.
        let earlier = |key: &str| {
            context.counters().map_or(0, |it| it.increment(context.session_name(), key))
        };
        match self {
            Self::Always => true,
            Self::First(calls) => earlier(&key()) < calls.get(),
            Self::Every(n) => (earlier(&key()) + 1).is_multiple_of(n.get()),
            Self::Probability { probability, .. } if probability >= 1.0 => true,
            Self::Probability { probability, .. } if probability <= 0.0 => false,
            Self::Probability { probability, seed } => {
                let attempt = earlier(&format!("{}/{request:016x}", key()));
                draw(seed, fault, context.session_name(), (request, attempt)) < probability
            }
        }
    }

    /// Returns `true` if the fault applies to no more calls of a session.
    pub(super) fn is_spent(self, key: &str, session: &str, counters: &Counters) -> bool {
        matches!(self, Self::First(calls) if counters.get(session, key) >= calls.get())
    }
}

/// Returns a number from 0 to 1, without 1.
fn draw(
    seed: u64,
    (scope, index): (&str, usize),
    session: &str,
    (request, attempt): (u64, u64),
) -> f64 {
    const BITS: u32 = 53;
    let mut hasher = XxHash3_64::with_seed(seed);
    hasher.write(&request.to_le_bytes());
    hasher.write(&attempt.to_le_bytes());
    hasher.write(&(index as u64).to_le_bytes());
    hasher.write(scope.as_bytes());
    // No text has this byte.
    hasher.write(&[0xff]);
    hasher.write(session.as_bytes());
    (hasher.finish() >> (u64::BITS - BITS)) as f64 / (1_u64 << BITS) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_and_depend_on_everything() {
        let draws: Vec<f64> =
            (0..10_000).map(|request| draw(1, ("a", 0), "s", (request, 0))).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        let low = draws.iter().filter(|draw| **draw < 0.25).count();
        assert!((2_300..2_700).contains(&low), "{low}");
        let (fault, one) = (("a", 0), draw(1, ("a", 0), "s", (1, 0)));
        let others = [
            draw(2, fault, "s", (1, 0)),
            draw(1, ("b", 0), "s", (1, 0)),
            draw(1, ("a", 1), "s", (1, 0)),
            draw(1, fault, "t", (1, 0)),
            draw(1, fault, "s", (2, 0)),
            draw(1, fault, "s", (1, 1)),
        ];
        assert!(others.iter().all(|it| *it != one));
    }
}
