//! The arguments of `mynah inspect` and `mynah report`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `mynah inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// File that serve --journal has written
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Port of the page; 0 selects a free port
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
}

/// Arguments of `mynah report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// File that serve --journal has written
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// File for the page
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}
