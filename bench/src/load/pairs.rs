//! Measures two servers in alternating time slices.

use std::time::Duration;

use mynah_bench::cases::Case;

use crate::{
    client::{Client, MEDIUM},
    figures::{Figures, Ratio},
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
        let before = self.server.usage()?;
        let slice = self.client.run(time).await?;
        self.slices.push(Figures::of(slice, self.server.usage()? - before));
        Ok(())
    }
}
