//! Drives mynah and bare servers side by side, and counts mynah's instructions.

mod callgrind;
mod check;
mod client;
mod compare;
mod cores;
mod instructions;
mod pairs;
mod program;
mod server;
mod table;
mod targets;

use std::path::PathBuf;

use clap::Parser;

/// Measures mynah; `bench/compare` and `bench/instructions` start it
#[derive(Debug, Parser)]
enum Command {
    /// Measure mynah beside bare servers, and print a table
    Compare(compare::Args),
    /// Compare mynah's instructions a call with those written down
    Instructions(instructions::Args),
}

/// Where cargo has put the programs.
#[derive(Debug, clap::Args)]
struct Folders {
    /// Folder of the programs built with the profile `release`
    #[arg(long, value_name = "FOLDER")]
    release: PathBuf,
    /// Folder of the programs built with the profile `plain`
    #[arg(long, value_name = "FOLDER", default_value = "target/plain")]
    plain: PathBuf,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Compare(args) => compare::compare(args).await,
        Command::Instructions(args) => instructions::instructions(args).await,
    }
}
