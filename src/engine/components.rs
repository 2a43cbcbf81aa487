//! Lookup of components by name, and the instances of pluggable components.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use arc_swap::ArcSwap;

use super::{Component, Engine};
use crate::{base::kept_memory::KeptMemory, chat::Error, component::ComponentSpec};

type ByName = BTreeMap<String, Arc<Component>>;

/// The loaded components. They can be replaced while calls are served. Readers take no lock.
#[derive(Debug, Default)]
pub struct Components(ArcSwap<ByName>);

impl Components {
    /// Returns a component, which remains usable even after it has been replaced.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownComponent`] if there is no component with this name.
    pub fn find(&self, name: &str) -> Result<Arc<Component>, Error> {
        let found = self.0.load().get(name).cloned();
        found.ok_or_else(|| Error::UnknownComponent(name.to_owned()))
    }

    /// Returns the current components, sorted by name.
    pub fn all(&self) -> Vec<Arc<Component>> {
        self.0.load().values().cloned().collect()
    }

    /// Removes, replaces and adds components atomically. All other components stay the same
    /// objects.
    pub(super) fn change(&self, removed: &[String], replaced: Self) {
        let replaced = replaced.0.into_inner();
        self.0.rcu(|current| {
            let mut next = ByName::clone(current);
            removed.iter().for_each(|name| drop(next.remove(name)));
            next.extend(replaced.iter().map(|(name, component)| (name.clone(), component.clone())));
            next
        });
    }
}

impl FromIterator<Component> for Components {
    fn from_iter<I: IntoIterator<Item = Component>>(components: I) -> Self {
        components.into_iter().map(Arc::new).collect()
    }
}

impl FromIterator<Arc<Component>> for Components {
    fn from_iter<I: IntoIterator<Item = Arc<Component>>>(components: I) -> Self {
        let by_name = |component: Arc<Component>| (component.name.clone(), component);
        Self(ArcSwap::from_pointee(components.into_iter().map(by_name).collect()))
    }
}

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
