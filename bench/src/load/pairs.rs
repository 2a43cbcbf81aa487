//! Measures two servers in alternating time slices, and computes the ratio of their costs.

use std::time::Duration;

use mynah_bench::cases::Case;

use crate::{
    client::{Client, MEDIUM},
    server::Server,
};

/// The number of pairs of slices to measure, and the duration of each slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) pairs: usize,
    pub(crate) slice: Duration,
}

/// How long each server is called before the first slice.
const WARM_UP: Duration = Duration::from_millis(300);

/// A server under load, with the figures for each slice.
#[derive(Debug)]
struct Side<'s> {
    server: &'s Server,
    client: Client,
    slices: Vec<Figures>,
}

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
}

/// A median with its 95% confidence interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The figures for two servers, and their ratios.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paired {
    pub(crate) first: Figures,
    pub(crate) second: Figures,
    /// The first server's rate divided by the second's.
    pub(crate) rate: Ratio,
    /// The first server's processor time divided by the second's.
    pub(crate) cpu: Ratio,
}

/// Measures two servers in ABBA order.
pub(crate) async fn measure_pair(
    servers: [&Server; 2],
    case: Case,
    effort: Effort,
) -> anyhow::Result<Paired> {
    let [mut a, mut b] = [Side::open(servers[0], case).await?, Side::open(servers[1], case).await?];
    for pair in 0..effort.pairs {
        let (first, second) = if pair % 2 == 0 { (&mut a, &mut b) } else { (&mut b, &mut a) };
        first.measure(effort.slice).await?;
        second.measure(effort.slice).await?;
    }
    let ratio = |of: fn(&Figures) -> f64| {
        let both = a.slices.iter().zip(&b.slices);
        Ratio::of(both.map(|(a, b)| of(a) / of(b)).collect())
    };
    Ok(Paired {
        rate: ratio(|figures| figures.rate),
        cpu: ratio(|figures| figures.cpu),
        first: Figures::median(&a.slices),
        second: Figures::median(&b.slices),
    })
}

impl<'s> Side<'s> {
    async fn open(server: &'s Server, case: Case) -> anyhow::Result<Self> {
        let mut client = Client::connect(server.address(case), case, MEDIUM).await?;
        client.run(WARM_UP).await?;
        Ok(Self { server, client, slices: Vec::new() })
    }

    async fn measure(&mut self, time: Duration) -> anyhow::Result<()> {
        let before = self.server.cpu()?;
        let mut slice = self.client.run(time).await?;
        let used = self.server.cpu()? - before;
        slice.latencies.sort_unstable();
        let calls = slice.latencies.len();
        let percentile = |part: f64| {
            let place = (calls as f64 * part) as usize;
            slice.latencies.get(place).map_or(f64::NAN, |latency| f64::from(*latency) / 1e3)
        };
        self.slices.push(Figures {
            rate: calls as f64 / slice.seconds,
            p50: percentile(0.5),
            p99: percentile(0.99),
            cpu: used * 1e6 / calls as f64,
        });
        Ok(())
    }
}

impl Figures {
    fn median(slices: &[Self]) -> Self {
        let median = |of: fn(&Self) -> f64| Ratio::of(slices.iter().map(of).collect()).median;
        Self {
            rate: median(|slice| slice.rate),
            p50: median(|slice| slice.p50),
            p99: median(|slice| slice.p99),
            cpu: median(|slice| slice.cpu),
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
