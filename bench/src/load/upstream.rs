//! Measures what mynah adds to the latency of a call that it passes on to a model.

use std::{fs, net::Ipv4Addr, path::PathBuf, time::Duration};

use mynah_bench::cases::Case;

use crate::{
    client::{Client, SINGLE},
    cores::Cores,
    figures::{Figures, Ratio},
    process::{Process, Usage, mynah},
    program::Ports,
    server::free_ports,
    table::Table,
};

const SLICE: Duration = Duration::from_millis(500);

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the programs built with the profile `release`
    #[arg(long, value_name = "FOLDER")]
    release: PathBuf,
    /// Number of slices of half a second in which each way is measured
    #[arg(long, value_name = "NUMBER", default_value_t = 24)]
    slices: usize,
}

/// A way to call the model, one call at a time.
struct Way {
    name: &'static str,
    client: Client,
    slices: Vec<Figures>,
}

/// Measures both ways in turn, and prints a table. The model is another mynah.
pub(crate) async fn upstream(args: Args) -> anyhow::Result<()> {
    let cores = Cores::find()?;
    let [model, own] = [free_ports()?, free_ports()?];
    let folder = component(model)?;
    let flags =
        ["--upstream=openai".to_owned(), format!("--resources-path={}", folder.path().display())];
    let start = |name, ports, flags: &[String]| {
        cores.on_all(|| Process::start(name, &mut mynah(&args.release, ports, flags)))
    };
    let _model = start("model", model, &[])?;
    let _mynah = start("mynah", own, &flags)?;
    let mut ways = [
        Way::open("the client", model).await?,
        Way::open("the client, again", model).await?,
        Way::open("mynah", own).await?,
    ];
    for first in 0..args.slices {
        for next in first..first + ways.len() {
            ways[next % ways.len()].measure().await?;
        }
    }
    print(&ways);
    Ok(())
}

fn print(ways: &[Way; 3]) {
    let mut table = Table::new(&["the model is called by", "p50 µs", "p99 µs"]);
    for way in ways {
        let Figures { p50, p99, .. } = Figures::median(&way.slices);
        table.row(&[way.name.to_owned(), format!("{p50:.0}"), format!("{p99:.0}")]);
    }
    println!("{table}");
    let [client, others @ ..] = ways;
    for way in others {
        let Ratio { median, low, high } = way.added_to(client);
        println!("{} adds {median:.0} µs to the median ({low:.0} to {high:.0})", way.name);
    }
}

/// Returns a folder with a component whose model listens at these ports.
fn component(model: Ports) -> anyhow::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let component = format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
         spec:\n  type: conversation.openai\n  version: v1\n  metadata:\n  \
         - {{name: key, value: any}}\n  - {{name: model, value: echo}}\n  \
         - {{name: endpoint, value: 'http://127.0.0.1:{}/v1'}}\n",
        model.http
    );
    fs::write(folder.path().join("component.yaml"), component)?;
    Ok(folder)
}

impl Way {
    async fn open(name: &'static str, ports: Ports) -> anyhow::Result<Self> {
        let address = (Ipv4Addr::LOCALHOST, ports.http).into();
        let mut client = Client::connect_when_served(address, "", Case::OpenAi, SINGLE).await?;
        client.run(SLICE).await?;
        Ok(Self { name, client, slices: Vec::new() })
    }

    async fn measure(&mut self) -> anyhow::Result<()> {
        let slice = self.client.run(SLICE).await?;
        self.slices.push(Figures::of(slice, Usage::default()));
        Ok(())
    }

    /// Returns by how much the median latency of a slice is above that of another way.
    fn added_to(&self, other: &Self) -> Ratio {
        let both = self.slices.iter().zip(&other.slices);
        Ratio::of(both.map(|(way, other)| way.p50 - other.p50).collect())
    }
}
