//! Reproducible random choices.

use std::collections::BTreeSet;

use twox_hash::XxHash3_64;

/// Returns a number that depends on the seed and on `number` only.
pub(super) fn random(seed: u64, number: u64) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, &number.to_le_bytes())
}

/// Chooses `count` different numbers below `all`, or all of them if there are no more, by Floyd's
/// algorithm.
pub(super) fn sample(seed: u64, count: u64, all: u64) -> BTreeSet<u64> {
    let mut sample = BTreeSet::new();
    for last in all.saturating_sub(count)..all {
        let chosen = random(seed, last) % (last + 1);
        if !sample.insert(chosen) {
            sample.insert(last);
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn samples_are_reproducible_and_have_no_duplicates() {
        for (count, all) in [(0, 0), (3, 3), (9, 4), (100, 101), (100, 10_000), (1, 7)] {
            let chosen = sample(1, count, all);
            assert_eq!(chosen.len() as u64, count.min(all));
            assert!(chosen.iter().all(|number| *number < all));
            assert_eq!(chosen, sample(1, count, all));
        }
        assert_ne!(sample(1, 5, 1_000), sample(2, 5, 1_000));
    }
}
