//! The components that daprd has initialized over a component socket.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Component, Components, Engine};
use crate::{base::kept_memory::KeptMemory, component::ComponentSpec};

/// Maximum number of instances on a socket.
pub(crate) const MAX_INSTANCES: usize = 1_000;

/// The settings of an instance, by name.
pub(crate) type Properties = BTreeMap<String, String>;

/// The components that daprd has initialized over a component socket. They live in memory only.
#[derive(Debug, Default)]
pub(crate) struct Instances {
    components: Components,
    /// What each was made from.
    sources: Mutex<BTreeMap<String, Source>>,
}

/// What an instance was made from.
#[derive(Debug)]
struct Source {
    properties: Properties,
    spec: ComponentSpec,
    _memory: KeptMemory,
}

/// What a new instance has replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaced {
    Nothing,
    /// An instance with the same properties.
    Same,
    /// An instance with other properties.
    Other,
}

/// There are [`MAX_INSTANCES`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct InstancesFull;

impl Instances {
    /// Adds an instance, or replaces the one of the same name unless nothing has changed. Calls in
    /// flight finish on the old one.
    pub(crate) fn insert(
        &self,
        mut spec: ComponentSpec,
        properties: Properties,
        memory: KeptMemory,
        engine: &Engine,
    ) -> Result<Replaced, InstancesFull> {
        let mut all = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_INSTANCES && !all.contains_key(&spec.name) {
            return Err(InstancesFull);
        }
        let replaced = match all.get(&spec.name) {
            None => Replaced::Nothing,
            Some(old) if old.properties == properties => Replaced::Same,
            Some(_) => Replaced::Other,
        };
        match all.remove(&spec.name) {
            // The component keeps its parts, so that they exist once.
            Some(old) if old.spec == spec => spec = old.spec,
            _ => {
                let component = engine.component(&spec);
                self.components.change(&[], [component].into_iter().collect());
            }
        }
        all.insert(spec.name.clone(), Source { properties, spec, _memory: memory });
        Ok(replaced)
    }

    /// Lets an instance use the connections of the one that it replaces, if both own the same tools.
    pub(crate) fn share_connections(&self, spec: &ComponentSpec) {
        let all = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = all.get(&spec.name) {
            spec.share_connections(&old.spec);
        }
    }

    /// Returns the current instances.
    pub(super) fn all(&self) -> Vec<Arc<Component>> {
        self.components.all()
    }

    /// Returns an instance.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Component>> {
        self.components.find(name).ok()
    }
}
