//! The surroundings of the components.

use super::stand_in::StandIn;
use crate::base::environment::Environment;

/// The surroundings of the components.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Id of the application that the sidecar belongs to.
    pub app_id: String,
    /// The environment: namespace, pod name, and variables that components refer to.
    pub environment: Environment,
    /// Answers for types that mynah does not have. With `None` they are errors.
    pub stand_in: Option<StandIn>,
}

impl Context {
    /// Returns `NAMESPACE`, or daprd's default.
    pub(super) fn namespace(&self) -> &str {
        self.environment.get("NAMESPACE").unwrap_or("default")
    }

    /// Returns `POD_NAME`.
    pub(super) fn pod_name(&self) -> Option<&str> {
        self.environment.get("POD_NAME").filter(|name| !name.is_empty())
    }
}
