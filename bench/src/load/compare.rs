//! The whole comparison: what is measured in which order, and what is printed.

#![expect(clippy::disallowed_methods, reason = "the time of a start is what is measured")]

use std::{
    fmt, fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use mynah_bench::cases::Case;

use crate::{
    Folders, callgrind,
    check::check,
    client::{Client, ONE, WIDE},
    cores::Cores,
    pairs::{Effort, Paired, Ratio, pair},
    program::{Program, Programs},
    server::Server,
    table::{self, Table},
    targets::{self, Target},
};

const FULL: Effort = Effort { pairs: 12, slice: Duration::from_secs(1) };
const QUICK: Effort = Effort { pairs: 3, slice: Duration::from_millis(500) };
/// Starts of which the median is taken.
const STARTS: usize = 20;

/// What is said where other programs got in the way.
const NOT_QUIET: &str = "A server beside itself spreads too far: no time in these tables is to be \
    trusted, and none is judged. Instructions do not depend on that.";

/// What to compare.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    folders: Folders,
    /// Measure for a short time, which shows less
    #[arg(long)]
    quick: bool,
    /// daprd, whose own echo is measured, too
    #[arg(long, env = "DAPRD", value_name = "PATH", hide_env_values = true)]
    daprd: Option<PathBuf>,
}

/// What it takes to measure, and what was measured.
struct Comparison {
    programs: Programs,
    cores: Cores,
    effort: Effort,
    /// Whether a server beside itself cost the same, time and again.
    quiet: bool,
    costs: Table,
    ratios: Table,
}

/// Measures everything, and prints it.
pub(crate) async fn compare(args: Args) -> anyhow::Result<()> {
    let cores = Cores::find()?;
    cores.pin_client()?;
    let costs = ["call", "program", "calls/s", "p50 µs", "p99 µs", "CPU µs", "instructions"];
    let ratios = ["call", "beside", "measure", "mynah / other", "target"];
    let mut comparison = Comparison {
        programs: Programs::new(args.folders, args.daprd)?,
        cores,
        effort: if args.quick { QUICK } else { FULL },
        quiet: false,
        costs: Table::new(&costs),
        ratios: Table::new(&ratios),
    };
    comparison.beside_itself().await?;
    for case in Case::ALL {
        comparison.bare(case).await?;
    }
    comparison.unpinned(Program::Hello).await?;
    if comparison.programs.has_daprd() {
        comparison.unpinned(Program::Daprd).await?;
    }
    let (memory, start) = (comparison.memory().await?, comparison.first_answer().await?);
    println!("{}", heading(comparison.effort));
    if !comparison.quiet {
        println!("{NOT_QUIET}\n");
    }
    println!("{}\n{}\n{memory}{start}", comparison.costs, comparison.ratios);
    Ok(())
}

impl Effort {
    /// How long two servers are measured.
    fn seconds(self) -> f64 {
        self.slice.as_secs_f64() * 2.0 * self.pairs as f64
    }
}

/// On what was measured, and how to do it again.
fn heading(Effort { pairs, slice }: Effort) -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|line| line.split_once(": ")).map_or("unknown", |(_, name)| name);
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok());
    let gib = kib.unwrap_or_default() / f64::from(1 << 20);
    format!(
        "`bench/compare` on {cores} cores of {model}, {gib:.0} GiB: {pairs} pairs of slices of \
         {slice:?} each, 32 calls in flight over 8 connections.\n"
    )
}

impl Comparison {
    /// A server beside itself, which shows what cannot be told apart on this machine now.
    async fn beside_itself(&mut self) -> anyhow::Result<()> {
        Self::say(format_args!("bare tonic beside itself"), self.effort.seconds());
        let paired = self.measure([Program::BareTonic; 2], Case::Short).await?;
        self.quiet = paired.cpu.is_one(targets::NOISE);
        self.ratio("short message", "bare tonic beside itself", "CPU", paired.cpu, None);
        Ok(())
    }

    /// mynah beside what serves the same with nothing behind it, each on one core.
    async fn bare(&mut self, case: Case) -> anyhow::Result<()> {
        let bare = if case == Case::Json { Program::BareAxum } else { Program::BareTonic };
        let what = format_args!("mynah beside {}: {}", bare.name(), case.name());
        Self::say(what, self.effort.seconds());
        let programs = [Program::Mynah, bare];
        let paired = self.measure(programs, case).await?;
        let instructions = self.instructions(programs, case).await?;
        self.cost(case.name(), programs, paired, instructions);
        let target = Some(targets::cost(bare, case));
        self.ratio(case.name(), bare.name(), "CPU", paired.cpu, target);
        if let Some([mynah, bare_count]) = instructions {
            let verdict = table::verdict(mynah / bare_count, targets::cost(bare, case), true);
            let ratio = format!("{:.2}", mynah / bare_count);
            self.ratios.row(&[case.name(), bare.name(), "instructions", &ratio, &verdict]);
        }
        Ok(())
    }

    /// mynah beside a program as people run it: both with all cores, which the client shares.
    async fn unpinned(&mut self, other: Program) -> anyhow::Result<()> {
        let what = format_args!("mynah beside {}, on all cores", other.name());
        Self::say(what, self.effort.seconds());
        let (case, programs) = (Case::Short, [Program::Mynah, other]);
        let servers = self
            .cores
            .on_all(|| Ok(programs.map(|program| Server::start(&self.programs, program, &[]))))?;
        let [a, b] = servers;
        let paired = self.pair([&a?, &b?], case).await?;
        let call = "short message, all cores";
        self.cost(call, programs, paired, None);
        self.ratio(call, other.name(), "CPU", paired.cpu, Some(targets::cost(other, case)));
        self.ratio(call, other.name(), "calls/s", paired.rate, targets::rate(other));
        Ok(())
    }

    async fn measure(&self, programs: [Program; 2], case: Case) -> anyhow::Result<Paired> {
        let start = |program| self.cores.on_server(|| Server::start(&self.programs, program, &[]));
        let [a, b] = programs.map(start);
        self.pair([&a?, &b?], case).await
    }

    async fn pair(&self, servers: [&Server; 2], case: Case) -> anyhow::Result<Paired> {
        for server in servers {
            check(server, case).await?;
        }
        pair(servers, case, self.effort).await
    }

    /// Instructions a call of both, where they can be counted.
    async fn instructions(
        &self,
        programs: [Program; 2],
        case: Case,
    ) -> anyhow::Result<Option<[f64; 2]>> {
        if !callgrind::is_there() {
            return Ok(None);
        }
        let [mynah, bare] = programs;
        let mynah = callgrind::per_call(&self.programs, self.cores, mynah, case).await?;
        let bare = callgrind::per_call(&self.programs, self.cores, bare, case).await?;
        Ok(Some([mynah, bare]))
    }

    fn cost(
        &mut self,
        call: &str,
        programs: [Program; 2],
        paired: Paired,
        instructions: Option<[f64; 2]>,
    ) {
        for (at, figures) in [paired.first, paired.second].into_iter().enumerate() {
            let [rate, p50, p99, cpu] = table::figures(figures);
            let counted = instructions.map_or("–".to_owned(), |both| table::thousands(both[at]));
            let name = programs[at].name().to_owned();
            self.costs.row(&[call.to_owned(), name, rate, p50, p99, cpu, counted]);
        }
    }

    fn ratio(
        &mut self,
        case: &str,
        beside: &str,
        measure: &str,
        ratio: Ratio,
        target: Option<Target>,
    ) {
        let verdict = target
            .map_or("–".to_owned(), |target| table::verdict(ratio.median, target, self.quiet));
        let ratio = table::ratio(ratio);
        self.ratios.row(&[case, beside, measure, &ratio, &verdict]);
    }

    /// MiB of a mynah on all cores: before its first call, and the most with 256 in flight.
    async fn memory(&self) -> anyhow::Result<String> {
        Self::say(format_args!("memory"), self.effort.slice.as_secs_f64() * 3.0);
        let server = self.cores.on_all(|| Server::start(&self.programs, Program::Mynah, &[]))?;
        let idle = server.resident()?;
        let mut client = Client::connect(server.address(Case::Short), Case::Short, WIDE).await?;
        client.run(self.effort.slice * 3).await?;
        let busy = server.most_resident()?;
        let within = |figure, most| table::verdict(figure, Target::AtMost(most), true);
        Ok(format!(
            "- memory before the first call: {idle:.1} MiB ({})\n\
             - memory with 256 calls in flight: {busy:.1} MiB ({})\n",
            within(idle, targets::IDLE),
            within(busy, targets::IN_FLIGHT),
        ))
    }

    /// Milliseconds from exec to the first answer.
    async fn first_answer(&self) -> anyhow::Result<String> {
        Self::say(format_args!("{STARTS} starts"), 1.0);
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let start = Instant::now();
            let server =
                self.cores.on_server(|| Server::start(&self.programs, Program::Mynah, &[]))?;
            let address = server.address(Case::Short);
            Client::connect(address, Case::Short, ONE).await?.count(1).await?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        let Ratio { median, low, high } = Ratio::of(times);
        let verdict = table::verdict(median, Target::AtMost(targets::FIRST_ANSWER), self.quiet);
        Ok(format!("- exec to first answer: {median:.1} ms ({low:.1} to {high:.1}; {verdict})\n"))
    }

    /// Progress, and how long it takes; counting instructions takes as long again, or longer.
    fn say(what: fmt::Arguments<'_>, seconds: f64) {
        eprintln!("{what} ({seconds:.0} s)");
    }
}
