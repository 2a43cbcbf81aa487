//! The tools of a plan.

use mynah_agent::{tool_loop::ToolRegistry, tools::CheckedTools};
use tokio::sync::OnceCell;

/// The tools in a file, which participants share.
pub(crate) struct PlannedTools {
    checked: CheckedTools,
    registry: OnceCell<ToolRegistry>,
}

impl From<CheckedTools> for PlannedTools {
    fn from(checked: CheckedTools) -> Self {
        Self { checked, registry: OnceCell::new() }
    }
}

impl PlannedTools {
    /// Connects their servers, unless they are connected. Fails with a message.
    pub(crate) async fn connect(&self) -> Result<(), String> {
        let connect = || self.checked.clone().connect();
        let connected = self.registry.get_or_try_init(connect).await;
        connected.map(drop).map_err(|error| format!("tools: {}", error.message))
    }

    /// Returns the connected tools.
    pub(crate) fn registry(&self) -> ToolRegistry {
        self.registry.get().cloned().unwrap_or_default()
    }
}
