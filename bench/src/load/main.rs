//! Compares mynah with bare servers and counts mynah's instructions.

mod callgrind;
mod check;
mod client;
mod compare;
mod cores;
mod figures;
mod forward;
mod instructions;
mod pairs;
mod process;
mod program;
mod routes;
mod server;
mod simulate;
mod table;
mod targets;
mod upstream;

use std::path::PathBuf;

use clap::Parser;
use mynah_bench::cases::Case;

/// Measures mynah; used by `bench/compare` and `bench/instructions`
#[derive(Debug, Parser)]
enum Command {
    /// Compare mynah with bare servers and print tables
    Compare(compare::Args),
    /// Compare mynah's instruction counts per call with a baseline
    Instructions(instructions::Args),
    /// Measure mynah together with daprd and print a table
    Routes(routes::Args),
    /// Measure simulated conversations and print a table
    Simulate(simulate::Args),
    /// Measure the latency that mynah adds to calls of a model and print a table
    Upstream(upstream::Args),
}

/// The folders of the built programs.
#[derive(Debug, clap::Args)]
struct Folders {
    /// Folder of the programs built with the profile `release`
    #[arg(long, value_name = "FOLDER")]
    release: PathBuf,
    /// Folder of the programs built with the profile `plain`
    #[arg(long, value_name = "FOLDER", default_value = "target/plain")]
    plain: PathBuf,
}

/// The calls to measure.
#[derive(Debug, clap::Args)]
struct Selection {
    /// Measure only the calls whose name contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

impl Selection {
    fn contains(&self, case: Case) -> bool {
        self.only.as_ref().is_none_or(|text| case.name().contains(text))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Compare(args) => compare::compare(args).await,
        Command::Instructions(args) => instructions::instructions(args).await,
        Command::Routes(args) => routes::routes(args).await,
        Command::Simulate(args) => simulate::simulate(&args),
        Command::Upstream(args) => upstream::upstream(args).await,
    }
}
