//! The flags about real models and recordings.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use thiserror::Error as ThisError;

use crate::component::{self, ApiSecret};

/// Options for real models and recordings.
#[derive(Debug, Clone, Args)]
pub(crate) struct RecordArgs {
    /// Pass on what no rule answers to the real model of each component [default: never]
    #[arg(long, value_enum, value_name = "API")]
    pub upstream: Option<UpstreamApi>,
    /// Record the answers of real models to a folder, a file for each component; needs --upstream
    #[arg(long, value_name = "FOLDER", requires = "upstream")]
    pub record: Option<PathBuf>,
    /// Record errors of real models, too
    #[arg(long, requires = "record")]
    pub record_errors: bool,
    /// Answer for components with real models from the recordings in a folder, without any model
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["stand_in", "record"])]
    pub replay: Option<PathBuf>,
    /// Pass on what is not recorded to the real models, and add it to the replayed folder; needs --upstream
    #[arg(long, requires_all = ["replay", "upstream"])]
    pub record_missing: bool,
    /// What answers requests that are not recorded [default: error]
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        requires = "replay",
        conflicts_with = "record_missing"
    )]
    pub replay_miss: Option<ReplayMiss>,
}

/// What answers requests that are not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayMiss {
    /// An error, which shows the nearest exchange
    Error,
    /// An instruction chain in the prompt, or else echo
    Fallback,
}

/// How real models are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpstreamApi {
    /// OpenAI's API, which many models have
    Openai,
    /// The components of the daprd in --daprd, for all models
    Daprd,
}

/// `--upstream daprd` without the address of a daprd.
#[derive(Debug, ThisError)]
#[error("--upstream daprd needs the address of a daprd in --daprd, such as 127.0.0.1:50002")]
pub(crate) struct NoDaprd;

impl UpstreamApi {
    /// Returns how models are called, with the address of daprd, if there is one, and Dapr's API token.
    pub(crate) fn with_daprd(
        self,
        address: Option<String>,
        token: &str,
    ) -> Result<component::UpstreamApi, NoDaprd> {
        match self {
            Self::Openai => Ok(component::UpstreamApi::OpenAi),
            Self::Daprd => {
                let token = Some(ApiSecret(token.to_owned())).filter(|_| !token.is_empty());
                Ok(component::UpstreamApi::Daprd { address: address.ok_or(NoDaprd)?, token })
            }
        }
    }
}
