//! A component of this process as a model.

use std::sync::Arc;

use futures_util::{FutureExt, TryFutureExt, future::BoxFuture};

use crate::{
    component::{ComponentSpec, ToolsSpec},
    provider::Provider,
    simulate::Model,
    tool_loop::{LoopSettings, OwnerMetrics, ToolRegistry},
};

/// A component of this process.
pub(super) struct ComponentModel {
    pub(super) spec: ComponentSpec,
    /// Those of all components.
    pub(super) metrics: Arc<OwnerMetrics>,
}

impl Model for ComponentModel {
    fn connect(&self) -> BoxFuture<'_, Result<(), String>> {
        self.spec.connect().map_err(|error| error.message).boxed()
    }

    fn provider(&self) -> Arc<dyn Provider> {
        self.spec.build_provider(&self.metrics, &Arc::default())
    }

    fn without_tools(&self) -> (Arc<dyn Provider>, Option<(ToolRegistry, LoopSettings)>) {
        let provider = self.spec.build_model(&self.metrics, &Arc::default());
        (provider, self.spec.tools.as_ref().map(ToolsSpec::own_loop))
    }
}
