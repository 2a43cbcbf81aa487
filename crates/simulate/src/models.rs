//! The interface of what provides models.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use futures_util::future::BoxFuture;
use mynah_agent::tool_loop::{LoopSettings, ToolRegistry};
use mynah_core::{
    base::{diagnostics::Diagnostic, environment::Environment},
    provider::Provider,
};

/// Where the models of a [`Plan`](super::Plan) come from.
pub trait Models {
    /// Returns the components in files and folders. Without any, there is a built-in component.
    fn components(&mut self, paths: &[PathBuf], environment: &Environment) -> Components;

    /// Returns a component of a sidecar, or its only one. Does not connect to it. With a folder as
    /// `cache`, the component keeps its answers there.
    ///
    /// # Errors
    ///
    /// Fails with a message if the address is invalid.
    fn sidecar(
        &mut self,
        address: &str,
        component: Option<&str>,
        cache: Option<&Path>,
    ) -> Result<Arc<dyn Model>, String>;
}

/// The components that a simulation may name.
#[derive(Default)]
pub struct Components {
    /// The components without errors, by name.
    pub models: BTreeMap<String, Arc<dyn Model>>,
    /// The errors in components, with which the simulation is not played.
    pub errors: Vec<Diagnostic>,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
    /// The files that the answers depend on.
    pub files: BTreeSet<PathBuf>,
}

/// A model that plays participants, judges conversations or finds intents.
pub trait Model: Send + Sync {
    /// Connects to the model, and to the servers whose tools it owns. Later calls do nothing.
    ///
    /// # Errors
    ///
    /// Fails with a message.
    fn connect(&self) -> BoxFuture<'_, Result<(), String>>;

    /// Returns a provider for one conversation, which runs the tools that the model owns. Shares no
    /// state with the other providers.
    fn provider(&self) -> Arc<dyn Provider>;

    /// Returns a provider for a caller that runs the tools itself, and the connected tools, if the
    /// model owns any.
    fn without_tools(&self) -> (Arc<dyn Provider>, Option<(ToolRegistry, LoopSettings)>) {
        (self.provider(), None)
    }

    /// Returns `true` if the model is outside of this process. Conversations then follow the real
    /// clock, unless their settings say otherwise.
    fn is_external(&self) -> bool {
        false
    }
}
