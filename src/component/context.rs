//! What components can learn of the process that they run in.

use super::StandIn;
use crate::base::environment::Environment;

/// What components can learn of the process that they run in.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The application that the sidecar belongs to.
    pub app_id: String,
    /// The environment: namespace, name of the pod, and what components refer to.
    pub environment: Environment,
    /// What answers for types that mynah does not know; `None` makes them problems.
    pub stand_in: Option<StandIn>,
}

impl Context {
    /// `NAMESPACE`; where it is not set, what daprd takes in its place.
    pub(super) fn namespace(&self) -> &str {
        self.environment.get("NAMESPACE").unwrap_or("default")
    }

    /// `POD_NAME`.
    pub(super) fn pod_name(&self) -> Option<&str> {
        self.environment.get("POD_NAME").filter(|name| !name.is_empty())
    }
}
