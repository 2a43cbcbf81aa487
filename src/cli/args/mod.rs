//! The command line: what the user may write, and nothing else.

mod converse;
mod daprd_flags;

use std::{ffi::OsString, path::PathBuf};

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

pub use self::{
    converse::ConverseArgs,
    daprd_flags::{DaprdFlags, with_two_dashes},
};
use crate::{base::environment::Environment, component::StandIn};

/// Id of the application where none is given.
pub const DEFAULT_APP_ID: &str = "mynah";

/// A deterministic stand-in for the language model behind Dapr's Conversation API
#[derive(Debug, Parser)]
#[command(name = "mynah", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without a command, serve.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The flags of `serve`.
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// What mynah can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the sidecar; this is what mynah does without a command
    Serve(Box<ServeArgs>),
    /// Run a command beside a sidecar on free ports, and end with its exit status
    Run(Box<RunArgs>),
    /// Check component YAML and print every problem, with file, line and column
    Check(CheckArgs),
    /// Ask a sidecar, mynah or daprd, and print the answer
    Converse(ConverseArgs),
    /// Print the JSON Schema of a format, for editors
    Schema(SchemaArgs),
}

/// What to run, and the sidecar beside it.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The flags of `serve`.
    #[command(flatten)]
    pub serve: ServeArgs,
    /// The command and its arguments; it finds the sidecar in the variables DAPR_*
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// What to check.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Id of the application whose components to check [default: those of all applications]
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    pub app_id: String,
    /// Files, or folders of component YAML
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What answers for conversation components of other types
    #[arg(long, value_enum, value_name = "PROVIDER")]
    pub stand_in: Option<StandIn>,
}

/// Which schema to print.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The format
    #[arg(value_enum, value_name = "WHAT")]
    pub what: What,
}

/// What has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// An instruction chain, which a prompt holds
    Chain,
    /// A file of tools, which mynah converse runs
    Tools,
}

/// How to serve. The flags have daprd's names.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Folder of component YAML; may be given more than once [default: one built-in echo]
    #[arg(long, alias = "components-path", value_name = "FOLDER", value_delimiter = ',')]
    pub resources_path: Vec<PathBuf>,
    /// What answers for conversation components of other types
    #[arg(long, value_enum, value_name = "PROVIDER")]
    pub stand_in: Option<StandIn>,
    /// Id of the application beside the sidecar
    #[arg(long, value_name = "ID", default_value = DEFAULT_APP_ID)]
    pub app_id: String,
    /// gRPC port; 0 takes any that is free [default: $DAPR_GRPC_PORT or 50001; for run 0]
    #[arg(long, value_name = "PORT")]
    pub dapr_grpc_port: Option<u16>,
    /// HTTP port; 0 takes any that is free [default: $DAPR_HTTP_PORT or 3500; for run 0]
    #[arg(long, value_name = "PORT")]
    pub dapr_http_port: Option<u16>,
    /// Addresses to listen on, with commas between them [default: 127.0.0.1 and ::1]
    #[arg(long, value_name = "ADDRESSES")]
    pub dapr_listen_addresses: Option<String>,
    /// Host names, beside this machine's own, under which browsers may call; with commas between
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub allowed_hosts: Vec<String>,
    /// Metrics port; 0 takes any that is free [default: 9090; for run 0]
    #[arg(long, value_name = "PORT")]
    pub metrics_port: Option<u16>,
    /// Whether to serve metrics
    #[arg(long, value_name = "BOOL", value_parser = go_bool, default_value = "true",
        num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    pub enable_metrics: bool,
    /// Largest message, either way
    #[arg(long, value_name = "SIZE", default_value = "4Mi")]
    pub max_body_size: String,
    /// Seconds that calls in flight have to finish at a stop
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub dapr_graceful_shutdown_seconds: u64,
    /// Folder to make Unix sockets in, dapr-ID-grpc.socket and dapr-ID-http.socket, instead of listening on ports
    #[arg(long, value_name = "FOLDER")]
    pub unix_domain_socket: Option<PathBuf>,
    /// File to write the bound addresses to, as JSON
    #[arg(long, value_name = "FILE")]
    pub addresses_file: Option<PathBuf>,
    /// How much to log [default: info; for run warn]
    #[arg(long, value_enum, value_name = "LEVEL", ignore_case = true)]
    pub log_level: Option<LogLevel>,
    /// Whether to log as JSON
    #[arg(long, value_name = "BOOL", value_parser = go_bool, default_value = "false",
        num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    pub log_as_json: bool,
    /// daprd's other flags.
    #[command(flatten)]
    pub daprd: DaprdFlags,
}

impl ServeArgs {
    /// Says once which flags of daprd were given that mean nothing here.
    pub fn warn_of_ignored_flags(&self) {
        let ignored = self.daprd.0.join(", ");
        if !ignored.is_empty() {
            tracing::warn!("flags of daprd that mynah has no use for: {ignored}");
        }
    }
}

/// How much to log. daprd's levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// Everything.
    Debug,
    /// What happens.
    Info,
    /// What may be wrong.
    #[value(alias = "warning")]
    Warn,
    /// What is wrong.
    #[value(alias = "fatal", alias = "panic")]
    Error,
}

/// A boolean as Go reads it.
fn go_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("write true or false".to_owned()),
    }
}

impl Environment {
    /// Reads the environment of this process; variables that are not UTF-8 are left out.
    #[expect(clippy::disallowed_methods, reason = "with the flags, the one place that reads it")]
    pub fn read() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }
}
