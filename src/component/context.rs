//! The context that components are loaded in: the stand-in for other types, and the rules in use.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use clap::ValueEnum;

use crate::{
    base::{diagnostics::Diagnostic, environment::Environment, secrets::REDACTED},
    provider::scripted::{Rules, rules::RulesText},
    upstream::{ListedComponent, Recorder},
};

/// The context that components are loaded in.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The id of the application that the sidecar belongs to.
    pub app_id: String,
    /// The environment variables: the namespace, the pod name, and variables that components refer
    /// to.
    pub environment: Environment,
    /// The provider that answers for conversation components of unsupported types. If `None`, such
    /// a type is an error.
    pub stand_in: Option<StandIn>,
    /// Where the answers of components with real models come from, instead of a stand-in.
    pub(crate) real_models: Option<RealModels>,
    /// Whether the command has flags for real models, so that hints name them.
    pub(crate) has_model_flags: bool,
    /// The files and folders of rules for stand-ins, for the built-in component and for scripted components
    /// without rules of their own.
    pub rules: Vec<PathBuf>,
    /// Whether the tool calls and results in a history must match, unless a component says otherwise.
    pub has_strict_history: bool,
    /// Whether a call fails that no rule and no chain answers, unless its component has a fallback.
    pub strict: bool,
    /// The components of the daprd that calls real models. Those that no file has are loaded, too.
    pub(crate) daprd_components: DaprdComponents,
    /// The rules of the components that are in use.
    pub(crate) rules_in_use: RulesInUse,
}

impl Context {
    /// Returns the API of the daprd that calls real models, if one does.
    pub(crate) fn daprd(&self) -> Option<(&str, Option<&str>)> {
        match &self.real_models.as_ref()?.upstream()?.api {
            UpstreamApi::OpenAi => None,
            UpstreamApi::Daprd { address, token } => {
                Some((address, token.as_ref().map(|token| token.0.as_str())))
            }
        }
    }

    /// Returns the value of `NAMESPACE`, or daprd's default if it is not set.
    pub(super) fn namespace(&self) -> &str {
        self.environment.get("NAMESPACE").unwrap_or("default")
    }

    /// Returns the value of `POD_NAME`, unless it is empty.
    pub(super) fn pod_name(&self) -> Option<&str> {
        self.environment.get("POD_NAME").filter(|name| !name.is_empty())
    }
}

/// Where the answers of components with real models come from.
#[derive(Debug, Clone)]
pub(crate) enum RealModels {
    /// The recordings in a folder.
    Replay {
        /// The folder.
        folder: PathBuf,
        /// What answers requests that are not recorded.
        missed: OnMissed,
    },
    /// The models themselves.
    Upstream(Upstream),
}

impl RealModels {
    /// Returns the folder of the recordings that are replayed.
    pub(super) fn replayed_folder(&self) -> Option<&Path> {
        match self {
            Self::Replay { folder, .. } => Some(folder),
            Self::Upstream(_) => None,
        }
    }

    /// Returns how the models are called, if they are.
    pub(crate) fn upstream(&self) -> Option<&Upstream> {
        match self {
            Self::Upstream(upstream)
            | Self::Replay { missed: OnMissed::Upstream(upstream), .. } => Some(upstream),
            Self::Replay { .. } => None,
        }
    }

    /// Returns what records the answers, if anything does.
    pub(crate) fn recorder(&self) -> Option<Arc<Recorder>> {
        self.upstream()?.recorder.clone()
    }
}

/// What answers requests that are not recorded.
#[derive(Debug, Clone)]
pub(crate) enum OnMissed {
    /// An error, which shows the nearest exchange.
    Error,
    /// Instruction chains, or else echo.
    Fallback,
    /// The models themselves.
    Upstream(Upstream),
}

/// How real models are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UpstreamApi {
    /// OpenAI's API.
    OpenAi,
    /// The components of a daprd.
    Daprd {
        /// Its gRPC address.
        address: String,
        /// Dapr's API token.
        token: Option<ApiSecret>,
    },
}

/// A token that `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ApiSecret(pub(crate) String);

impl fmt::Debug for ApiSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// The models themselves, and where their answers are recorded.
#[derive(Debug, Clone)]
pub(crate) struct Upstream {
    /// How they are called.
    pub(crate) api: UpstreamApi,
    /// Records the answers.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

/// A provider that answers for conversation components of unsupported types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StandIn {
    /// The provider of `conversation.echo`.
    Echo,
    /// The provider of `conversation.scripted`.
    Scripted,
}

impl fmt::Display for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Echo => "echo",
            Self::Scripted => "scripted",
        })
    }
}

/// The rules in use, so that unchanged files are not read again on a reload.
#[derive(Debug, Clone, Default)]
pub(crate) struct RulesInUse(Arc<Mutex<BTreeMap<Sources, Weak<Rules>>>>);

/// What reports call the texts of rules.
type Sources = Vec<Arc<str>>;

impl RulesInUse {
    /// Returns the rules with the same texts from the same sources, or else reads them.
    pub(super) fn get_or_read(&self, texts: Vec<RulesText>) -> Result<Arc<Rules>, Vec<Diagnostic>> {
        let sources: Vec<_> = texts.iter().map(|text| text.source.clone()).collect();
        let mut in_use = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|_, rules| rules.strong_count() > 0);
        let known = in_use.get(&sources).and_then(Weak::upgrade);
        if let Some(rules) = known.filter(|rules| rules.texts().eq(&texts)) {
            return Ok(rules);
        }
        let rules = Arc::new(Rules::read_all(texts)?);
        in_use.insert(sources, Arc::downgrade(&rules));
        Ok(rules)
    }
}

/// The components that daprd has listed. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct DaprdComponents(Arc<Mutex<Vec<ListedComponent>>>);

impl DaprdComponents {
    /// Replaces the components. Returns `false` if they are the same.
    pub(crate) fn replace(&self, listed: Vec<ListedComponent>) -> bool {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_changed = *current != listed;
        *current = listed;
        is_changed
    }

    pub(super) fn all(&self) -> Vec<ListedComponent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
