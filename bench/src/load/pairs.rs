//! Two servers in turn, in slices of time: what one costs as a multiple of the other.

use std::time::Duration;

use mynah_bench::cases::Case;

use crate::{
    client::{Client, USUAL},
    server::Server,
};

/// How long is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) pairs: usize,
    pub(crate) slice: Duration,
}

/// Calls before the first slice, of each server.
const WARM_UP: Duration = Duration::from_millis(300);

/// A server under load, and what it gave in each slice.
#[derive(Debug)]
struct Side<'s> {
    server: &'s Server,
    client: Client,
    slices: Vec<Figures>,
}

/// What one slice showed, or the median of many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    /// Calls a second.
    pub(crate) rate: f64,
    /// Microseconds that half of the calls took at most, and 99 in 100.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Microseconds of the server's processor time a call.
    pub(crate) cpu: f64,
}

/// A median, and the interval that it lies in with 95 % certainty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Two servers beside each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paired {
    pub(crate) first: Figures,
    pub(crate) second: Figures,
    /// Of the first to the second.
    pub(crate) rate: Ratio,
    pub(crate) cpu: Ratio,
}

/// Measures two servers in ABBA order.
pub(crate) async fn pair(
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
        let mut client = Client::connect(server.address(case), case, USUAL).await?;
        client.run(WARM_UP).await?;
        Ok(Self { server, client, slices: Vec::new() })
    }

    async fn measure(&mut self, time: Duration) -> anyhow::Result<()> {
        let before = self.server.cpu()?;
        let mut slice = self.client.run(time).await?;
        let used = self.server.cpu()? - before;
        slice.times.sort_unstable();
        let calls = slice.times.len();
        let at = |part: f64| {
            let place = (calls as f64 * part) as usize;
            slice.times.get(place).map_or(f64::NAN, |time| f64::from(*time) / 1e3)
        };
        self.slices.push(Figures {
            rate: calls as f64 / slice.seconds,
            p50: at(0.5),
            p99: at(0.99),
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
    /// The median of some figures, and its interval by their order, which supposes nothing about
    /// how they are spread.
    pub(crate) fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let count = figures.len();
        let at = |place: usize| figures.get(place).copied().unwrap_or(f64::NAN);
        let median = f64::midpoint(at(count.saturating_sub(1) / 2), at(count / 2));
        let place = interval(count);
        Self { median, low: at(place), high: at(count.saturating_sub(place + 1)) }
    }

    /// Whether all of the interval is within `margin` of 1.
    pub(crate) fn is_one(self, margin: f64) -> bool {
        self.low >= 1.0 - margin && self.high <= 1.0 + margin
    }
}

/// The place at which the interval of a median of so many ordered figures begins: that no more of
/// them lie below the median comes in 2.5 % of trials at most, as with heads in tosses of a coin.
fn interval(count: usize) -> usize {
    let (mut heads, mut chance, mut fewer) = (0, 0.5_f64.powi(count.min(1_000) as i32), 0.0);
    while heads < count && fewer + chance <= 0.025 {
        fewer += chance;
        chance *= (count - heads) as f64 / (heads + 1) as f64;
        heads += 1;
    }
    heads.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_twelve_leaves_two_out_on_each_side() {
        let ratio = Ratio::of((1..=12).map(f64::from).collect());
        assert_eq!((ratio.low, ratio.median, ratio.high), (3.0, 6.5, 10.0));
    }

    #[test]
    fn a_median_of_one_says_little_where_the_interval_is_wide() {
        let ratio = Ratio { median: 1.0, low: 0.96, high: 1.04 };
        assert!(ratio.is_one(0.05));
        assert!(!Ratio { low: 0.86, ..ratio }.is_one(0.05));
        assert!(!Ratio { high: 1.06, ..ratio }.is_one(0.05));
        assert!(!Ratio::of(Vec::new()).is_one(0.05));
    }

    #[test]
    fn few_figures_are_their_own_interval() {
        let ratio = Ratio::of(vec![3.0, 1.0, 2.0]);
        assert_eq!((ratio.low, ratio.median, ratio.high), (1.0, 2.0, 3.0));
    }
}
