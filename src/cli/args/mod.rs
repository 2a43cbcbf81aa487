//! Definitions of the command-line arguments, which clap parses.

mod daprd_flags;
mod diff;
mod inspect;
mod record;
mod serve;

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use clap_complete::Shell;

pub(crate) use self::{
    daprd_flags::with_two_dashes,
    diff::{Aspect, DiffArgs},
    inspect::{InspectArgs, ReportArgs},
    record::{NoDaprd, RecordArgs, ReplayMiss, UpstreamApi},
    serve::{LogLevel, ServeArgs},
};
use crate::{
    component::StandIn,
    simulate::{EarlierResults, Shard},
};

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

/// The name of the command that supervises the command of `mynah run`.
#[cfg(target_os = "linux")]
pub(crate) const SUPERVISE: &str = "__supervise";

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the sidecar (default command)
    // daprd's image has no entrypoint, so Compose files and Testcontainers modules begin its command
    // with the program.
    #[command(aliases = ["daprd", "./daprd", "/daprd"])]
    Serve(Box<ServeArgs>),
    /// Run a command with a sidecar on free ports, and return the command's exit code
    Run(Box<RunArgs>),
    /// Run a command for `mynah run`, which starts this
    #[cfg(target_os = "linux")]
    #[command(name = SUPERVISE, hide = true)]
    Supervise(SuperviseArgs),
    /// Check files of components, simulations, rules and tools, and print all errors and warnings with their locations
    Check(CheckArgs),
    /// Send a prompt to a sidecar, mynah or daprd, and print the answer
    Converse(ConverseArgs),
    /// Play simulated conversations between customers and agents, and write a report
    Simulate(SimulateArgs),
    /// Print the calls of a sidecar as JSON lines
    Journal(JournalArgs),
    /// Show the calls in a journal file in a browser
    Inspect(InspectArgs),
    /// Write the calls in a journal file as one HTML page
    Report(ReportArgs),
    /// Check the calls of a sidecar against the expectations in a rules file
    Verify(VerifyArgs),
    /// Send the recorded requests to the real models again, and report what has changed
    Diff(DiffArgs),
    /// Say which tools echo calls for a prompt, with which arguments, and why
    Explain(ExplainArgs),
    /// Print the JSON Schema of a format, for editors
    Schema(SchemaArgs),
    /// Convert files of another program to a rules file, and print it
    Import(ImportArgs),
    /// Print a script that completes commands and flags in a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands to a folder
    Man(ManArgs),
}

/// Arguments of `mynah run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The flags of `serve`.
    #[command(flatten)]
    pub serve: ServeArgs,
    /// Open the inspector in a browser, and at a terminal keep it open after the command
    #[arg(long, conflicts_with_all = ["inspector", "unix_domain_socket"])]
    pub inspect: bool,
    /// Command and arguments; the command finds the addresses in DAPR_* variables
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Arguments of the supervisor of a command.
#[cfg(target_os = "linux")]
#[derive(Debug, Args)]
pub(crate) struct SuperviseArgs {
    /// The process id of `mynah run`
    pub parent: i32,
    /// The command and its arguments
    #[arg(last = true, required = true)]
    pub command: Vec<OsString>,
}

/// Arguments of `mynah check`.
#[derive(Debug, Clone, Args)]
pub(crate) struct CheckArgs {
    /// Check only the components of one application [default: all applications]
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub app_id: String,
    /// Component YAML files, simulations, files of rules, files of tools, or folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Provider for conversation components of unsupported types
    #[arg(long, value_enum, value_name = "PROVIDER")]
    pub stand_in: Option<StandIn>,
    /// Flags about real models.
    #[command(flatten)]
    pub record: RecordArgs,
    /// gRPC address of the daprd that calls the models; needed with --upstream daprd
    #[arg(long, value_name = "HOST:PORT")]
    pub daprd: Option<String>,
    /// Also report the errors with which serve --strict does not start
    #[arg(long)]
    pub strict: bool,
}

/// Arguments of `mynah journal`.
#[derive(Debug, Args)]
pub(crate) struct JournalArgs {
    /// Wait for new calls and print them too
    #[arg(long, short)]
    pub follow: bool,
    /// Print only the calls of one session
    #[arg(long, value_name = "NAME")]
    pub session: Option<String>,
    /// Print only the calls to one component
    #[arg(long, value_name = "NAME")]
    pub component: Option<String>,
    /// Print only the calls after the one with this number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub since: u64,
    /// Address of the control API [default: $MYNAH_ENDPOINT or http://127.0.0.1:PORT/mynah/v1, with $DAPR_HTTP_PORT or 3500]
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
}

/// Arguments of `mynah verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Rules file with a list `expect`, or a folder of them. Can be left out with --unused or --no-unmatched
    #[arg(value_name = "FILE", required_unless_present_any = ["unused", "no_unmatched"])]
    pub file: Option<PathBuf>,
    /// Check only the calls of one session
    #[arg(long, value_name = "NAME")]
    pub session: Option<String>,
    /// Also fail if a rule of the sidecar, or a step of its chain or sequence, has not answered
    #[arg(long)]
    pub unused: bool,
    /// Also fail if a call was answered neither by a rule nor by an instruction chain
    #[arg(long)]
    pub no_unmatched: bool,
    /// Address of the control API [default: $MYNAH_ENDPOINT or http://127.0.0.1:PORT/mynah/v1, with $DAPR_HTTP_PORT or 3500]
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
}

/// Arguments of `mynah explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Prompt; read from stdin if absent or -
    pub prompt: Option<String>,
    /// File with the offered tools, as YAML or JSON: a list, a request, or a file for converse --tools
    #[arg(long, value_name = "FILE")]
    pub tools: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
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
    /// Format of the files
    #[arg(value_enum, value_name = "FORMAT")]
    pub format: ImportFormat,
    /// Files to convert, or folders
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
}

/// A format that can be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// Chat fixtures of aimock
    Aimock,
}

/// Arguments of `mynah completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell that runs the script
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of `mynah man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Folder for the pages of all commands; created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,
}

/// Arguments of `mynah converse`.
#[derive(Debug, Args)]
pub(crate) struct ConverseArgs {
    /// Prompt; read from stdin if absent or -, interactive if absent at a terminal
    pub prompt: Option<String>,
    /// Component to call [default: the only conversation component]
    #[arg(long, value_name = "NAME")]
    pub component: Option<String>,
    /// gRPC address of the sidecar [env: DAPR_GRPC_ENDPOINT, DAPR_GRPC_PORT] [default: 127.0.0.1:50001]
    #[arg(long, value_name = "ADDRESS")]
    pub address: Option<String>,
    /// System prompt
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// File with earlier messages, a request, or the output of --tools --json
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// File with tools that run when the model calls them
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,
    /// Describe the tools in the system prompt and read calls from the model's text
    #[arg(long, requires = "tools")]
    pub text_tools: bool,
    /// Maximum number of model turns with --tools, 1 to 50
    #[arg(long, value_name = "NUMBER", requires = "tools", default_value_t = 12, value_parser = value_parser!(u32).range(1..=50))]
    pub max_turns: u32,
    /// Print the answer as it arrives
    #[arg(long)]
    pub stream: bool,
    /// Print JSON: one object, or one line per message with --stream
    #[arg(long)]
    pub json: bool,
    /// Context id of the conversation
    #[arg(long, value_name = "ID")]
    pub context_id: Option<String>,
    /// Sampling temperature
    #[arg(long, value_name = "NUMBER")]
    pub temperature: Option<f64>,
}

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
