//! Compares a call that mynah passes on to daprd with the same call through a bare proxy.

use std::{net::Ipv4Addr, path::Path, process::Command, time::Duration};

use mynah_bench::cases::Case;

use crate::{
    client::{Client, MEDIUM},
    cores::Cores,
    figures::{Figures, Ratio},
    process::{Process, mynah},
    program::Ports,
    server::free_ports,
    table::{Table, thousands},
};

/// A method that mynah does not serve itself.
const METHOD: &str = "Forwarded";
const SLICE: Duration = Duration::from_secs(1);

/// A program that passes calls on.
struct Proxy {
    process: Process,
    client: Client,
    slices: Vec<Figures>,
}

/// Both ways to a server, which runs as long as they are measured.
pub(crate) struct Forward {
    mynah: Proxy,
    bare: Proxy,
    _server: Process,
}

impl Forward {
    pub(crate) async fn start(release: &Path, cores: &Cores) -> anyhow::Result<Self> {
        let [server, bare, own] = [free_ports()?, free_ports()?, free_ports()?];
        let proxy = || Command::new(release.join("bare-proxy"));
        let start = |name, command: &mut Command| cores.on_all(|| Process::start(name, command));
        let _server = start("bare server", proxy().arg(server.grpc.to_string()))?;
        let flags = [format!("--daprd=127.0.0.1:{}", server.grpc)];
        let mynah = start("mynah", &mut mynah(release, own, &flags))?;
        let mynah = Proxy::open(mynah, own).await?;
        let ports = [bare.grpc, server.grpc].map(|port| port.to_string());
        let bare = Proxy::open(start("bare proxy", proxy().args(ports))?, bare).await?;
        Ok(Self { mynah, bare, _server })
    }

    /// Measures each way in this number of slices, and prints a table.
    pub(crate) async fn measure(mut self, slices: usize) -> anyhow::Result<()> {
        for slice in 0..slices {
            let (first, second) = if slice % 2 == 0 {
                (&mut self.mynah, &mut self.bare)
            } else {
                (&mut self.bare, &mut self.mynah)
            };
            first.measure().await?;
            second.measure().await?;
        }
        let mut table =
            Table::new(&["calls passed on by", "calls/s", "p50 µs", "p99 µs", "CPU µs"]);
        for proxy in [&self.mynah, &self.bare] {
            let Figures { rate, p50, p99, cpu, .. } = Figures::median(&proxy.slices);
            let [p50, p99] = [p50, p99].map(|latency| format!("{latency:.0}"));
            let name = proxy.process.name.to_owned();
            table.row(&[name, thousands(rate), p50, p99, format!("{cpu:.1}")]);
        }
        println!("{table}");
        let pairs = self.mynah.slices.iter().zip(&self.bare.slices);
        let Ratio { median, low, high } = Ratio::of(pairs.map(|(a, b)| a.cpu / b.cpu).collect());
        println!("CPU of mynah / bare proxy: {median:.2} ({low:.2} to {high:.2}; at most 1.5)");
        Ok(())
    }
}

impl Proxy {
    async fn open(process: Process, ports: Ports) -> anyhow::Result<Self> {
        let address = (Ipv4Addr::LOCALHOST, ports.grpc).into();
        let mut client = Client::connect_when_served(address, METHOD, Case::Short, MEDIUM).await?;
        client.run(SLICE).await?;
        Ok(Self { process, client, slices: Vec::new() })
    }

    async fn measure(&mut self) -> anyhow::Result<()> {
        let before = self.process.usage()?;
        let slice = self.client.run(SLICE).await?;
        self.slices.push(Figures::of(slice, self.process.usage()? - before));
        Ok(())
    }
}
