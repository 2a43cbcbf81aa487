//! The arguments of `mynah diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::record::UpstreamApi;

/// Arguments of `mynah diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Folder with the recordings, which stay as they are
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// How the real models are called
    #[arg(long, value_enum, value_name = "API")]
    pub upstream: UpstreamApi,
    /// Folder of component YAML files; can be repeated
    #[arg(
        long,
        alias = "components-path",
        value_name = "FOLDER",
        value_delimiter = ',',
        required_if_eq("upstream", "openai")
    )]
    pub resources_path: Vec<PathBuf>,
    /// gRPC address of the daprd that calls the models; needed with --upstream daprd
    #[arg(long, value_name = "HOST:PORT")]
    pub daprd: Option<String>,
    /// Compare only the exchanges of one component
    #[arg(long, value_name = "NAME")]
    pub component: Option<String>,
    /// Number of requests at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub concurrency: u16,
    /// Exit with 1 if an answer differs in one of these, separated by commas [default: a failed request only]
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<Aspect>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// In what an answer differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Aspect {
    /// The finish reason
    Finish,
    /// The called tools and their arguments
    Tools,
    /// The validity of arguments and of structured answers
    Schema,
    /// The text
    Text,
}

impl Aspect {
    /// All aspects.
    pub(crate) const ALL: [Self; 4] = [Self::Finish, Self::Tools, Self::Schema, Self::Text];

    /// Returns the name in flags and in reports.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Finish => "finish",
            Self::Tools => "tools",
            Self::Schema => "schema",
            Self::Text => "text",
        }
    }
}
