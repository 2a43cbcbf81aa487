//! Measures mynah by the routes on which it works with daprd.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use crate::{
    client::{Client, MEDIUM},
    cores::Cores,
    figures::{Figures, Ratio},
    forward::Forward,
    process::{Process, Usage, mynah},
    program::Ports,
    server::free_ports,
    table::{Table, thousands},
};
use anyhow::{Context, bail};
use mynah_bench::cases::Case;

/// The name of the component that is called on each route.
const COMPONENT: &str = "echo";
/// The interval between attempts to call a route, and their maximum number.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const MAX_POLLS: usize = 1_000;

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the programs built with the profile `release`
    #[arg(long, value_name = "FOLDER")]
    release: PathBuf,
    /// Path of an unmodified daprd
    #[arg(long, value_name = "PATH")]
    daprd: PathBuf,
    /// Path of the daprd in daprd/, which has pluggable conversation components
    #[arg(long, value_name = "PATH")]
    daprd_with_adaptor: PathBuf,
    /// Number of slices of a second in which each route is measured
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    slices: usize,
}

/// A way to call mynah or daprd.
struct Route {
    name: &'static str,
    entry: SocketAddr,
    /// The processes that take part. The files that they use are removed after them.
    processes: Vec<Process>,
    _folder: tempfile::TempDir,
}

/// Measures all routes and prints a table.
pub(crate) async fn routes(args: Args) -> anyhow::Result<()> {
    let cores = Cores::find()?;
    let columns = ["route", "calls/s", "p50 µs", "p99 µs", "CPU of mynah µs", "CPU of daprd µs"];
    let mut table = Table::new(&columns);
    let starts = [alone, daprd_alone, in_front, as_endpoint, as_component];
    let mut rate = f64::INFINITY;
    for start in starts {
        rate = cores.on_all(|| start(&args))?.measure(f64::INFINITY, &args, &mut table).await?;
    }
    // The cost of a call depends on the number of calls that arrive together.
    let alone =
        Route { name: "mynah alone, called at this rate", ..cores.on_all(|| alone(&args))? };
    alone.measure(rate, &args, &mut table).await?;
    println!("{table}");
    Forward::start(&args.release, &cores).await?.measure(args.slices).await
}

fn alone(args: &Args) -> anyhow::Result<Route> {
    let (ports, folder) = (free_ports()?, tempfile::tempdir()?);
    let mynah = Process::start("mynah", &mut mynah(&args.release, ports, &[]))?;
    Ok(Route::new("mynah alone", ports, vec![mynah], folder))
}

fn daprd_alone(args: &Args) -> anyhow::Result<Route> {
    let (ports, folder) = (free_ports()?, tempfile::tempdir()?);
    let daprd = daprd(&args.daprd, ports, "conversation.echo", "[]", folder.path())?;
    Ok(Route::new("daprd's own echo", ports, vec![daprd], folder))
}

fn in_front(args: &Args) -> anyhow::Result<Route> {
    let (ports, behind, folder) = (free_ports()?, free_ports()?, tempfile::tempdir()?);
    let daprd = daprd(&args.daprd, behind, "conversation.echo", "[]", folder.path())?;
    let flags = [
        format!("--daprd=127.0.0.1:{}", behind.grpc),
        format!("--daprd-http=127.0.0.1:{}", behind.http),
    ];
    let mynah = Process::start("mynah", &mut mynah(&args.release, ports, &flags))?;
    Ok(Route::new("mynah in front of daprd", ports, vec![mynah, daprd], folder))
}

fn as_endpoint(args: &Args) -> anyhow::Result<Route> {
    let (ports, behind, folder) = (free_ports()?, free_ports()?, tempfile::tempdir()?);
    let mynah = Process::start("mynah", &mut mynah(&args.release, behind, &[]))?;
    let items = format!(
        "[{{name: key, value: any}}, {{name: endpoint, value: 'http://127.0.0.1:{}/v1'}}]",
        behind.http
    );
    let daprd = daprd(&args.daprd, ports, "conversation.openai", &items, folder.path())?;
    Ok(Route::new("daprd with mynah as OpenAI endpoint", ports, vec![mynah, daprd], folder))
}

fn as_component(args: &Args) -> anyhow::Result<Route> {
    let (ports, behind, folder) = (free_ports()?, free_ports()?, tempfile::tempdir()?);
    let mut mynah = mynah(&args.release, behind, &["--component-socket=mynah".to_owned()]);
    let mynah =
        Process::start("mynah", mynah.env("DAPR_COMPONENTS_SOCKETS_FOLDER", folder.path()))?;
    wait_for(&folder.path().join("mynah.sock"))?;
    let program = &args.daprd_with_adaptor;
    let daprd = daprd(program, ports, "conversation.mynah", "[]", folder.path())?;
    Ok(Route::new("daprd with mynah as component", ports, vec![mynah, daprd], folder))
}

/// daprd looks for sockets only once.
fn wait_for(file: &Path) -> anyhow::Result<()> {
    for _ in 0..MAX_POLLS {
        if file.exists() {
            return Ok(());
        }
        thread::sleep(POLL_INTERVAL);
    }
    bail!("{} does not appear", file.display())
}

/// Starts a daprd with one component. `items` is its metadata as YAML.
fn daprd(
    path: &Path,
    ports: Ports,
    kind: &str,
    items: &str,
    folder: &Path,
) -> anyhow::Result<Process> {
    let resources = folder.join("resources");
    fs::create_dir_all(&resources)?;
    let component = format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {COMPONENT}}}\n\
         spec: {{type: {kind}, version: v1, metadata: {items}}}\n"
    );
    fs::write(resources.join("component.yaml"), component)?;
    let mut command = Command::new(path);
    command.args(ports.flags()).args(["--app-id=echo", "--enable-metrics=false"]);
    command.arg(format!("--dapr-internal-grpc-port={}", ports.internal));
    command.arg("--resources-path").arg(resources);
    Process::start("daprd", command.env("DAPR_COMPONENTS_SOCKETS_FOLDER", folder))
}

impl Route {
    fn new(
        name: &'static str,
        ports: Ports,
        processes: Vec<Process>,
        folder: tempfile::TempDir,
    ) -> Self {
        let entry = (Ipv4Addr::LOCALHOST, ports.grpc).into();
        Self { name, entry, processes, _folder: folder }
    }

    /// Measures the route at a maximum rate, and adds its row. Returns the number of calls a second.
    async fn measure(&self, rate: f64, args: &Args, table: &mut Table) -> anyhow::Result<f64> {
        let mut client =
            Client::connect_when_served(self.entry, "ConverseAlpha2", Case::Short, MEDIUM)
                .await
                .context(self.name)?;
        client.run(Duration::from_millis(300)).await?;
        let (mut slices, mut daprd) = (Vec::new(), Vec::new());
        for _ in 0..args.slices {
            let before = [self.usage("mynah")?, self.usage("daprd")?];
            let slice = client.run_at(rate, Duration::from_secs(1)).await?;
            let by_daprd = self.usage("daprd")? - before[1];
            daprd.push(by_daprd.cpu * 1e6 / slice.latencies.len() as f64);
            slices.push(Figures::of(slice, self.usage("mynah")? - before[0]));
        }
        let Figures { rate, p50, p99, cpu, .. } = Figures::median(&slices);
        let [p50, p99] = [p50, p99].map(|latency| format!("{latency:.0}"));
        let [cpu, daprd] = [cpu, Ratio::of(daprd).median].map(|cpu| format!("{cpu:.1}"));
        table.row(&[self.name.to_owned(), thousands(rate), p50, p99, cpu, daprd]);
        Ok(rate)
    }

    /// Returns what the processes with a name have used.
    fn usage(&self, name: &str) -> anyhow::Result<Usage> {
        let mut named = self.processes.iter().filter(|process| process.name == name);
        named.try_fold(Usage::default(), |sum, process| Ok(sum + process.usage()?))
    }
}
