//! Where the answers of real models come from, as the flags say.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use super::error::StartError;
use crate::{
    base::environment::Environment,
    component::{OnMissed, RealModels, Upstream, UpstreamApi},
    upstream::{Recorder, RecorderError},
};

/// Where the answers of real models come from.
#[derive(Debug, Clone)]
pub(crate) enum ModelSource {
    /// The recordings in a folder.
    Replay {
        /// The folder.
        folder: PathBuf,
        /// What answers requests that are not recorded.
        missed: MissedConfig,
    },
    /// The models themselves.
    Upstream(UpstreamConfig),
}

/// What answers requests that are not recorded.
#[derive(Debug, Clone)]
pub(crate) enum MissedConfig {
    /// An error.
    Error,
    /// An instruction chain in the prompt, or else echo.
    Fallback,
    /// The models themselves.
    Upstream(UpstreamConfig),
}

/// The models themselves.
#[derive(Debug, Clone)]
pub(crate) struct UpstreamConfig {
    /// How they are called.
    pub api: UpstreamApi,
    /// The folder where the answers are recorded.
    pub record: Option<PathBuf>,
    /// Whether errors are recorded, too.
    pub records_errors: bool,
}

impl ModelSource {
    /// Returns `true` if requests may go to real models.
    pub(crate) fn asks_models(&self) -> bool {
        matches!(self, Self::Upstream(_) | Self::Replay { missed: MissedConfig::Upstream(_), .. })
    }

    /// Returns the folder whose recordings are replayed, or to which answers are recorded.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Upstream(upstream) => upstream.record.as_deref(),
            Self::Replay { folder, .. } => Some(folder),
        }
    }

    /// Returns the folder of recordings that must exist. A folder to which answers are recorded is made.
    pub(crate) fn required_folder(&self) -> Option<&Path> {
        match self {
            Self::Upstream(_) | Self::Replay { missed: MissedConfig::Upstream(_), .. } => None,
            Self::Replay { folder, .. } => Some(folder),
        }
    }

    /// Starts to record, if answers are recorded.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be recorded, or if the folder with the recordings cannot be read.
    pub(super) fn open(self, environment: &Environment) -> Result<RealModels, StartError> {
        if let Some(path) = self.required_folder() {
            let path = path.to_owned();
            fs::read_dir(&path).map_err(|source| StartError::ReplayFolder { path, source })?;
        }
        Ok(match self {
            Self::Upstream(upstream) => RealModels::Upstream(upstream.open(environment)?),
            Self::Replay { folder, missed: MissedConfig::Upstream(upstream) } => {
                let missed = OnMissed::Upstream(upstream.open(environment)?);
                RealModels::Replay { folder, missed }
            }
            replay @ Self::Replay { .. } => replay.without_recorder(),
        })
    }

    /// Returns the models without a recorder, so that nothing is written.
    pub(crate) fn without_recorder(self) -> RealModels {
        let upstream = |config: UpstreamConfig| Upstream { api: config.api, recorder: None };
        match self {
            Self::Upstream(config) => RealModels::Upstream(upstream(config)),
            Self::Replay { folder, missed } => RealModels::Replay {
                folder,
                missed: match missed {
                    MissedConfig::Error => OnMissed::Error,
                    MissedConfig::Fallback => OnMissed::Fallback,
                    MissedConfig::Upstream(config) => OnMissed::Upstream(upstream(config)),
                },
            },
        }
    }
}

impl UpstreamConfig {
    fn open(self, environment: &Environment) -> Result<Upstream, RecorderError> {
        let Self { record, records_errors, .. } = &self;
        let recorder =
            record.as_ref().map(|folder| Recorder::new(folder, *records_errors, environment));
        Ok(Upstream { api: self.api, recorder: recorder.transpose()?.map(Into::into) })
    }
}

impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upstream(upstream) => upstream.fmt(f),
            Self::Replay { folder, missed } => {
                write!(f, "the recordings in {}", folder.display())?;
                match missed {
                    MissedConfig::Error => Ok(()),
                    MissedConfig::Fallback => f.write_str(", or else chains and echo"),
                    MissedConfig::Upstream(upstream) => write!(f, ", or else {upstream}"),
                }
            }
        }
    }
}

impl fmt::Display for UpstreamConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.api {
            UpstreamApi::OpenAi => f.write_str("the real models, through OpenAI's API")?,
            UpstreamApi::Daprd { address, .. } => {
                write!(f, "the real models, through the daprd at {address}")?;
            }
        }
        match &self.record {
            Some(folder) => write!(f, ", recorded to {}", folder.display()),
            None => Ok(()),
        }
    }
}
