//! The context that components are loaded in.

use std::path::PathBuf;

use super::{rules_in_use::RulesInUse, stand_in::StandIn};
use crate::base::environment::Environment;

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
    /// The files and folders of rules for stand-ins, for the built-in component and for scripted components
    /// without rules of their own.
    pub rules: Vec<PathBuf>,
    /// Whether the tool calls and results in a history must match, unless a component says otherwise.
    pub has_strict_history: bool,
    /// Whether a call fails that no rule and no chain answers, unless its component has a fallback.
    pub strict: bool,
    /// The rules of the components that are in use.
    pub(crate) rules_in_use: RulesInUse,
}

impl Context {
    /// Returns the value of `NAMESPACE`, or daprd's default if it is not set.
    pub(super) fn namespace(&self) -> &str {
        self.environment.get("NAMESPACE").unwrap_or("default")
    }

    /// Returns the value of `POD_NAME`, unless it is empty.
    pub(super) fn pod_name(&self) -> Option<&str> {
        self.environment.get("POD_NAME").filter(|name| !name.is_empty())
    }
}
