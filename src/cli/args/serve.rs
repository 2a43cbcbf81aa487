//! The flags of `mynah serve`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use super::{daprd_flags::DaprdFlags, record::RecordArgs};
use crate::component::StandIn;

/// Options of the sidecar, named like daprd's.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Folder of component YAML files; can be repeated [default: a built-in echo component]
    #[arg(long, alias = "components-path", value_name = "FOLDER", value_delimiter = ',')]
    pub resources_path: Vec<PathBuf>,
    /// Provider for conversation components of unsupported types
    #[arg(long, value_enum, value_name = "PROVIDER")]
    pub stand_in: Option<StandIn>,
    /// Flags about real models.
    #[command(flatten)]
    pub record: RecordArgs,
    /// File or folder of rules for stand-ins, the built-in component and scripted components without
    /// rules; can be repeated
    #[arg(long, value_name = "PATH")]
    pub rules: Vec<PathBuf>,
    /// Reject requests whose tool calls and results do not match, as real models do
    #[arg(long)]
    pub strict_history: bool,
    /// Let calls fail that no rule and no instruction chain answers
    #[arg(long)]
    pub strict: bool,
    /// Component for requests of OpenAI's API whose model is not a component [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub openai_component: Option<String>,
    /// Id of the application
    #[arg(long, value_name = "ID", default_value = "mynah")]
    pub app_id: String,
    /// gRPC port; 0 selects a free port [default: $DAPR_GRPC_PORT or 50001; for run: 0]
    #[arg(long, value_name = "PORT")]
    pub dapr_grpc_port: Option<u16>,
    /// HTTP port; 0 selects a free port [default: $DAPR_HTTP_PORT or 3500; for run: 0]
    #[arg(long, value_name = "PORT")]
    pub dapr_http_port: Option<u16>,
    /// IP addresses to listen on, separated by commas [default: $MYNAH_LISTEN_ADDRESSES or 127.0.0.1,::1]
    #[arg(long, value_name = "ADDRESSES")]
    pub dapr_listen_addresses: Option<String>,
    /// gRPC address of a daprd that gets all calls except conversations
    #[arg(long, value_name = "HOST:PORT")]
    pub daprd: Option<String>,
    /// HTTP address of a daprd that gets all requests except conversations
    #[arg(long, value_name = "HOST:PORT")]
    pub daprd_http: Option<String>,
    /// Additional host names that browsers may use, separated by commas
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub allowed_hosts: Vec<String>,
    /// Metrics port; 0 selects a free port [default: 9090; for run: 0]
    #[arg(long, value_name = "PORT")]
    pub metrics_port: Option<u16>,
    /// Serve Prometheus metrics
    #[arg(long, value_name = "BOOL", value_parser = go_bool, default_value = "true",
        num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    pub enable_metrics: bool,
    /// Maximum size of a request or response
    #[arg(long, value_name = "SIZE", default_value = "4Mi")]
    pub max_body_size: String,
    /// Maximum memory for all requests and responses
    #[arg(long, value_name = "SIZE", default_value = "256Mi")]
    pub max_memory: String,
    /// Time for calls in flight to finish at shutdown
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub dapr_graceful_shutdown_seconds: u64,
    /// Folder for the sockets dapr-ID-grpc.socket and dapr-ID-http.socket, which replace the ports
    #[arg(long, value_name = "FOLDER")]
    pub unix_domain_socket: Option<PathBuf>,
    /// Serve a pluggable component on the socket NAME.sock in $DAPR_COMPONENTS_SOCKETS_FOLDER
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub component_socket: Vec<String>,
    /// Permissions of the component socket, in octal
    #[arg(long, value_name = "MODE", default_value = "600")]
    pub component_socket_mode: String,
    /// Folder for the files that the metadata of pluggable components may name; also allows MCP servers
    /// [default: none]
    #[arg(long, value_name = "FOLDER")]
    pub component_files: Option<PathBuf>,
    /// Maximum memory for the journal of calls; 0 turns the journal off
    #[arg(long, value_name = "SIZE", default_value = "32Mi")]
    pub journal_size: String,
    /// Append all calls to a file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Serve the inspector, a page that shows the calls, at /mynah/
    #[arg(long, value_name = "BOOL", value_parser = go_bool, default_value = "true",
        num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    pub inspector: bool,
    /// Write the bound addresses to a file, as JSON
    #[arg(long, value_name = "FILE")]
    pub addresses_file: Option<PathBuf>,
    /// Stop when standard input is closed, as after SIGTERM
    #[arg(long)]
    pub exit_on_stdin_close: bool,
    /// Log level [default: info; for run: warn]
    #[arg(long, value_enum, value_name = "LEVEL", ignore_case = true)]
    pub log_level: Option<LogLevel>,
    /// Log as JSON
    #[arg(long, value_name = "BOOL", value_parser = go_bool, default_value = "false",
        num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    pub log_as_json: bool,
    /// The daprd flags that are ignored.
    #[command(flatten)]
    pub ignored: DaprdFlags,
}

/// The least severe level to log. The names are daprd's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// Everything
    Debug,
    /// Normal operation
    Info,
    /// Possible problems
    #[value(alias = "warning")]
    Warn,
    /// Failures only
    #[value(alias = "fatal", alias = "panic")]
    Error,
}

/// Parses a boolean like Go's flags.
fn go_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("expected true or false".to_owned()),
    }
}
