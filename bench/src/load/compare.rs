//! Compares mynah with other servers: runs all measurements and prints the tables.

#![expect(clippy::disallowed_methods, reason = "startup time is measured")]

use std::{
    fmt, fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use mynah_bench::cases::Case;

use crate::{
    Folders, Selection, callgrind,
    check::check,
    client::{Client, HIGH, SINGLE},
    cores::Cores,
    figures::Ratio,
    pairs::{Effort, Paired, measure_pair},
    program::{Program, Programs},
    server::Server,
    table::{self, Table},
    targets::{self, Target},
};

const FULL: Effort = Effort { pairs: 12, slice: Duration::from_secs(1) };
const QUICK: Effort = Effort { pairs: 3, slice: Duration::from_millis(500) };
/// The number of startups that are timed.
const STARTS: usize = 20;

/// The note printed if other programs disturbed the measurements.
const NOISY: &str = "The machine was noisy: a server compared with itself varied too much, so \
    the times in these tables are unreliable and are not judged. Instruction counts are not affected.";

/// Options of the comparison.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    folders: Folders,
    /// Measure for a shorter time, with less precision
    #[arg(long)]
    quick: bool,
    /// Path of a daprd whose echo is also measured
    #[arg(long, env = "DAPRD", value_name = "PATH", hide_env_values = true)]
    daprd: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

/// The state of the comparison and its results.
struct Comparison {
    programs: Programs,
    cores: Cores,
    effort: Effort,
    /// Whether a server compared with itself had the same cost.
    is_quiet: bool,
    costs: Table,
    ratios: Table,
}

/// Measures everything and prints the results.
pub(crate) async fn compare(args: Args) -> anyhow::Result<()> {
    let cores = Cores::find()?;
    cores.pin_client()?;
    let costs = [
        "call",
        "program",
        "calls/s",
        "p50 µs",
        "p99 µs",
        "CPU µs",
        "page faults",
        "context switches",
        "instructions",
    ];
    let ratios = ["call", "compared with", "measure", "mynah / other", "target"];
    let mut comparison = Comparison {
        programs: Programs::new(args.folders, args.daprd)?,
        cores,
        effort: if args.quick { QUICK } else { FULL },
        is_quiet: false,
        costs: Table::new(&costs),
        ratios: Table::new(&ratios),
    };
    comparison.measure_noise().await?;
    for case in Case::ALL.into_iter().filter(|case| args.selection.contains(*case)) {
        comparison.compare_with_bare(case).await?;
    }
    let whole = if args.selection.only.is_none() {
        comparison.measure_whole().await?
    } else {
        String::new()
    };
    println!("{}", heading(comparison.effort));
    if !comparison.is_quiet {
        println!("{NOISY}\n");
    }
    println!("{}\n{}\n{whole}", comparison.costs, comparison.ratios);
    Ok(())
}

impl Effort {
    /// Returns how long a pair of servers is measured.
    fn seconds(self) -> f64 {
        self.slice.as_secs_f64() * 2.0 * self.pairs as f64
    }
}

/// Returns a description of the machine and the measurement.
fn heading(Effort { pairs, slice }: Effort) -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|line| line.split_once(": ")).map_or("unknown", |(_, name)| name);
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok());
    let gib = kib.unwrap_or_default() / f64::from(1 << 20);
    format!(
        "`bench/compare` on {cores} cores of {model}, {gib:.0} GiB: {pairs} pairs of {slice:?} \
         slices, 32 calls in flight over 8 connections, or 8 over HTTP/1.1.\n"
    )
}

impl Comparison {
    /// Compares a server with itself to measure how noisy the machine is.
    async fn measure_noise(&mut self) -> anyhow::Result<()> {
        Self::log_progress(format_args!("bare tonic and itself"), self.effort.seconds());
        let paired = self.measure([Program::BareTonic; 2], Case::Short).await?;
        self.is_quiet = paired.cpu.is_one(targets::NOISE);
        self.add_ratio("short message", "bare tonic and itself", "CPU", paired.cpu, None);
        Ok(())
    }

    /// Compares mynah with other programs on all cores, and measures its memory and startup.
    async fn measure_whole(&mut self) -> anyhow::Result<String> {
        self.compare_on_all_cores(Program::Hello).await?;
        if self.programs.has_daprd() {
            self.compare_on_all_cores(Program::Daprd).await?;
        }
        Ok(self.memory().await? + &self.first_answer().await?)
    }

    /// Compares mynah with the bare server for the same protocol, each on one core.
    async fn compare_with_bare(&mut self, case: Case) -> anyhow::Result<()> {
        let bare = if case.http_path().is_some() { Program::BareAxum } else { Program::BareTonic };
        let what = format_args!("mynah and {}: {}", bare.name(), case.name());
        Self::log_progress(what, self.effort.seconds());
        let programs = [Program::Mynah, bare];
        let paired = self.measure(programs, case).await?;
        let instructions = self.instructions(programs, case).await?;
        self.add_costs(case.name(), programs, paired, instructions);
        let target = targets::cost(bare, case);
        self.add_ratio(case.name(), bare.name(), "CPU", paired.cpu, target);
        Ok(())
    }

    /// Compares mynah with another program on all cores, one of which also runs the client.
    async fn compare_on_all_cores(&mut self, other: Program) -> anyhow::Result<()> {
        let what = format_args!("mynah and {}, on all cores", other.name());
        Self::log_progress(what, self.effort.seconds());
        let (case, programs) = (Case::Short, [Program::Mynah, other]);
        let servers = self
            .cores
            .on_all(|| Ok(programs.map(|it| Server::start(&self.programs, it, case, &[]))))?;
        let [a, b] = servers;
        let paired = self.pair([&a?, &b?], case).await?;
        let call = "short message, all cores";
        self.add_costs(call, programs, paired, None);
        self.add_ratio(call, other.name(), "CPU", paired.cpu, targets::cost(other, case));
        self.add_ratio(call, other.name(), "calls/s", paired.rate, targets::rate(other));
        Ok(())
    }

    async fn measure(&self, programs: [Program; 2], case: Case) -> anyhow::Result<Paired> {
        let start =
            |program| self.cores.on_server(|| Server::start(&self.programs, program, case, &[]));
        let [a, b] = programs.map(start);
        self.pair([&a?, &b?], case).await
    }

    async fn pair(&self, servers: [&Server; 2], case: Case) -> anyhow::Result<Paired> {
        for server in servers {
            check(server, case).await?;
        }
        measure_pair(servers, case, self.effort).await
    }

    /// Counts the instructions per call for both programs, if valgrind is installed.
    async fn instructions(
        &self,
        programs: [Program; 2],
        case: Case,
    ) -> anyhow::Result<Option<[f64; 2]>> {
        if !callgrind::is_installed() {
            return Ok(None);
        }
        let [mynah, bare] = programs;
        let mynah = callgrind::per_call(&self.programs, self.cores, mynah, case).await?;
        let bare = callgrind::per_call(&self.programs, self.cores, bare, case).await?;
        Ok(Some([mynah, bare]))
    }

    /// Adds a row for each program to the cost table.
    fn add_costs(
        &mut self,
        call: &str,
        programs: [Program; 2],
        paired: Paired,
        instructions: Option<[f64; 2]>,
    ) {
        for (at, figures) in [paired.first, paired.second].into_iter().enumerate() {
            let counted = instructions.map_or("–".to_owned(), |both| table::thousands(both[at]));
            let names = [call.to_owned(), programs[at].name().to_owned()];
            self.costs.row(&[&names[..], &table::figures(figures), &[counted]].concat());
        }
    }

    /// Adds a row to the ratio table.
    fn add_ratio(
        &mut self,
        case: &str,
        other: &str,
        measure: &str,
        ratio: Ratio,
        target: Option<Target>,
    ) {
        let verdict = target
            .map_or("–".to_owned(), |target| table::verdict(ratio.median, target, self.is_quiet));
        let ratio = table::ratio(ratio);
        self.ratios.row(&[case, other, measure, &ratio, &verdict]);
    }

    fn start_mynah(&self) -> anyhow::Result<Server> {
        Server::start(&self.programs, Program::Mynah, Case::Short, &[])
    }

    /// Measures mynah's memory on all cores: before the first call, and the peak with 256 calls in
    /// flight.
    async fn memory(&self) -> anyhow::Result<String> {
        Self::log_progress(format_args!("memory"), self.effort.slice.as_secs_f64() * 3.0);
        let server = self.cores.on_all(|| self.start_mynah())?;
        let idle = server.resident()?;
        let mut client = Client::connect(server.address(Case::Short), Case::Short, HIGH).await?;
        client.run(self.effort.slice * 3).await?;
        let busy = server.peak_resident()?;
        let within = |figure, max| table::verdict(figure, Target::AtMost(max), true);
        Ok(format!(
            "- memory before the first call: {idle:.1} MiB ({})\n\
             - memory with 256 calls in flight: {busy:.1} MiB ({})\n",
            within(idle, targets::IDLE),
            within(busy, targets::IN_FLIGHT),
        ))
    }

    /// Measures the time from exec to the first answer.
    async fn first_answer(&self) -> anyhow::Result<String> {
        Self::log_progress(format_args!("{STARTS} starts"), 1.0);
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let start = Instant::now();
            let server = self.cores.on_server(|| self.start_mynah())?;
            let address = server.address(Case::Short);
            Client::connect(address, Case::Short, SINGLE).await?.call_times(1).await?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        let Ratio { median, low, high } = Ratio::of(times);
        let verdict = table::verdict(median, Target::AtMost(targets::FIRST_ANSWER), self.is_quiet);
        Ok(format!(
            "- time from exec to the first answer: {median:.1} ms ({low:.1} to {high:.1}; {verdict})\n"
        ))
    }

    /// Prints what is being measured and how long that takes, not including counting instructions.
    fn log_progress(what: fmt::Arguments<'_>, seconds: f64) {
        eprintln!("{what} ({seconds:.0} s)");
    }
}
