//! The arguments of `mynah converse`.

use std::path::PathBuf;

use clap::{Args, value_parser};

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
