//! Definitions of the command-line arguments, which clap parses.

mod converse;
mod daprd_flags;
mod serve;
mod simulate;

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::{
    converse::ConverseArgs,
    daprd_flags::with_two_dashes,
    serve::{LogLevel, ServeArgs},
    simulate::{MergeArgs, PlayArgs, SimulateArgs, SimulateCommand},
};
use crate::component::StandIn;

/// A deterministic stand-in for the language model behind Dapr's Conversation API
#[derive(Debug, Parser)]
#[command(name = "mynah", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    /// The command. If there is none, `serve` runs.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The flags of `serve`, if there is no command.
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the sidecar (default command)
    Serve(Box<ServeArgs>),
    /// Run a command with a sidecar on free ports, and return the command's exit code
    Run(Box<RunArgs>),
    /// Check files of components, simulations and rules, and print all errors and warnings with their locations
    Check(CheckArgs),
    /// Send a prompt to a sidecar, mynah or daprd, and print the answer
    Converse(ConverseArgs),
    /// Play simulated conversations between customers and agents, and write a report
    Simulate(SimulateArgs),
    /// Print the JSON Schema of a format, for editors
    Schema(SchemaArgs),
    /// Convert a file of another program to a rules file, and print it
    Import(ImportArgs),
}

/// Arguments of `mynah run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The flags of `serve`.
    #[command(flatten)]
    pub serve: ServeArgs,
    /// Command and arguments; the command finds the addresses in DAPR_* variables
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Arguments of `mynah check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Check only the components of one application [default: all applications]
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub app_id: String,
    /// Component YAML files, simulations, files of rules, or folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Provider for conversation components of unsupported types
    #[arg(long, value_enum, value_name = "PROVIDER")]
    pub stand_in: Option<StandIn>,
}

/// Arguments of `mynah schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Format to describe
    #[arg(value_enum, value_name = "FORMAT")]
    pub format: SchemaFormat,
}

/// A format that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFormat {
    /// Instruction chain in a prompt
    Chain,
    /// Faults of a component
    Faults,
    /// File for --rules
    Rules,
    /// File for converse --tools
    Tools,
    /// File for simulate
    Simulate,
}

/// Arguments of `mynah import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Format of the file
    #[arg(value_enum, value_name = "FORMAT")]
    pub format: ImportFormat,
    /// File to convert
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// A format that can be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// Chat fixtures of aimock
    Aimock,
}
