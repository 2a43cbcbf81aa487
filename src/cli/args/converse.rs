//! The flags of `mynah converse`.

use std::path::PathBuf;

use clap::{Args, value_parser};

/// What to ask, and whom.
#[derive(Debug, Args)]
pub struct ConverseArgs {
    /// What to ask; without it, or with -, standard input; without it at a terminal, what is typed
    pub prompt: Option<String>,
    /// Component to ask [default: the only one for conversations]
    #[arg(long, value_name = "NAME")]
    pub component: Option<String>,
    /// gRPC address of the sidecar [env: DAPR_GRPC_ENDPOINT, DAPR_GRPC_PORT] [default: 127.0.0.1:50001]
    #[arg(long, value_name = "ADDRESS")]
    pub address: Option<String>,
    /// System prompt
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// File of earlier messages, a whole request, or what --tools --json printed
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// File of tools to run when the model calls them, until it answers
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,
    /// Most turns of the model for one answer, 1 to 50, with --tools
    #[arg(long, value_name = "NUMBER", requires = "tools", default_value_t = 12, value_parser = value_parser!(u32).range(1..=50))]
    pub max_turns: u32,
    /// Print the text as it arrives
    #[arg(long)]
    pub stream: bool,
    /// Print the answer as JSON; with --stream, a line for each of its messages
    #[arg(long)]
    pub json: bool,
    /// Label of the conversation
    #[arg(long, value_name = "ID")]
    pub context_id: Option<String>,
    /// Sampling temperature
    #[arg(long, value_name = "NUMBER")]
    pub temperature: Option<f64>,
}
