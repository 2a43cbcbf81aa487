//! The loaded components, by name.

use std::{collections::BTreeMap, sync::Arc};

use arc_swap::ArcSwap;

use super::Component;
use crate::chat::Error;

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
