//! The arguments of `mynah simulate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::{
    component::StandIn,
    simulate::{EarlierResults, Shard},
};

/// Arguments of `mynah simulate`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct SimulateArgs {
    /// The command, if it is not to play a simulation.
    #[command(subcommand)]
    pub command: Option<SimulateCommand>,
    /// The simulation to play.
    #[command(flatten)]
    pub play: Option<PlayArgs>,
}

/// A command for the results of simulations.
#[derive(Debug, Subcommand)]
pub(crate) enum SimulateCommand {
    /// Join the results of shards, and write the report
    Merge(MergeArgs),
}

/// The simulation to play.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// File with the simulation
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Folder for the results and the report; if it has results of the same run, the run continues
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,
    /// Provider for conversation components of unsupported types
    #[arg(long, value_enum, value_name = "PROVIDER")]
    pub stand_in: Option<StandIn>,
    /// File or folder of rules for stand-ins, the built-in component and scripted components without
    /// rules; can be repeated
    #[arg(long, value_name = "PATH")]
    pub rules: Vec<PathBuf>,
    /// Replace the results of another run
    #[arg(long)]
    pub fresh: bool,
    /// Play conversations that failed again
    #[arg(long, conflicts_with = "fresh")]
    pub retry_failed: bool,
    /// Exit with 1 if a conversation has failed
    #[arg(long)]
    pub exit_code: bool,
    /// Play only one of several equal parts, such as 0/3, and write no report
    #[arg(long, value_name = "NUMBER/COUNT")]
    pub shard: Option<Shard>,
}

impl PlayArgs {
    /// Returns what happens to results that are in the folder already.
    pub(crate) fn earlier_results(&self) -> EarlierResults {
        match (self.fresh, self.retry_failed) {
            (true, _) => EarlierResults::Replace,
            (_, true) => EarlierResults::KeepCompleted,
            _ => EarlierResults::Keep,
        }
    }
}

/// Arguments of `mynah simulate merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Folders with the results of all shards
    #[arg(required = true, value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Folder for the joined results and the report
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,
}
