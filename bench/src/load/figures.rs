//! The figures for slices of a measurement, and their medians.

use crate::{client::Slice, process::Usage};

/// The figures for one slice, or the medians over several slices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    /// Calls per second.
    pub(crate) rate: f64,
    /// The median latency in microseconds.
    pub(crate) p50: f64,
    /// The 99th percentile of the latency in microseconds.
    pub(crate) p99: f64,
    /// The server's processor time per call in microseconds.
    pub(crate) cpu: f64,
    /// The server's page faults per call.
    pub(crate) faults: f64,
    /// The server's context switches per call.
    pub(crate) switches: f64,
}

/// A median with its 95% confidence interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Figures {
    /// Computes the figures for a slice and what the server has used in this time.
    pub(crate) fn of(mut slice: Slice, used: Usage) -> Self {
        slice.latencies.sort_unstable();
        let calls = slice.latencies.len() as f64;
        let percentile = |part: f64| {
            let place = (calls * part) as usize;
            slice.latencies.get(place).map_or(f64::NAN, |latency| f64::from(*latency) / 1e3)
        };
        Self {
            rate: calls / slice.seconds,
            p50: percentile(0.5),
            p99: percentile(0.99),
            cpu: used.cpu * 1e6 / calls,
            faults: used.faults / calls,
            switches: used.switches / calls,
        }
    }

    /// Returns the medians over several slices.
    pub(crate) fn median(slices: &[Self]) -> Self {
        let median = |of: fn(&Self) -> f64| Ratio::of(slices.iter().map(of).collect()).median;
        Self {
            rate: median(|slice| slice.rate),
            p50: median(|slice| slice.p50),
            p99: median(|slice| slice.p99),
            cpu: median(|slice| slice.cpu),
            faults: median(|slice| slice.faults),
            switches: median(|slice| slice.switches),
        }
    }
}

impl Ratio {
    /// Returns the median of some figures. The confidence interval comes from order statistics,
    /// which assume nothing about the distribution.
    pub(crate) fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let count = figures.len();
        let at = |place: usize| figures.get(place).copied().unwrap_or(f64::NAN);
        let median = f64::midpoint(at(count.saturating_sub(1) / 2), at(count / 2));
        let place = interval(count);
        Self { median, low: at(place), high: at(count.saturating_sub(place + 1)) }
    }

    /// Returns `true` if the whole interval is within `margin` of 1.
    pub(crate) fn is_one(self, margin: f64) -> bool {
        self.low >= 1.0 - margin && self.high <= 1.0 + margin
    }
}

/// Returns the index at which the confidence interval begins, for the median of `count` sorted
/// figures. The number of figures below the true median has a binomial distribution with p = 0.5.
/// At most 2.5% of this distribution is below the index.
fn interval(count: usize) -> usize {
    let (mut below, mut probability, mut cumulative) =
        (0, 0.5_f64.powi(count.min(1_000) as i32), 0.0);
    while below < count && cumulative + probability <= 0.025 {
        cumulative += probability;
        probability *= (count - below) as f64 / (below + 1) as f64;
        below += 1;
    }
    below.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_twelve_omits_two_on_each_side() {
        let ratio = Ratio::of((1..=12).map(f64::from).collect());
        assert_eq!((ratio.low, ratio.median, ratio.high), (3.0, 6.5, 10.0));
    }

    #[test]
    fn is_one_requires_a_narrow_interval() {
        let ratio = Ratio { median: 1.0, low: 0.96, high: 1.04 };
        assert!(ratio.is_one(0.05));
        assert!(!Ratio { low: 0.86, ..ratio }.is_one(0.05));
        assert!(!Ratio { high: 1.06, ..ratio }.is_one(0.05));
        assert!(!Ratio::of(Vec::new()).is_one(0.05));
    }

    #[test]
    fn the_interval_of_few_figures_contains_all() {
        let ratio = Ratio::of(vec![3.0, 1.0, 2.0]);
        assert_eq!((ratio.low, ratio.median, ratio.high), (1.0, 2.0, 3.0));
    }
}
