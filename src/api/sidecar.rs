//! What all surfaces share.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    api::access::Access,
    base::drain::Drain,
    component::Change,
    engine::{
        dispatch::{Component, Components},
        metrics::Metrics,
    },
    wire::error::Error,
};

/// The version of Dapr whose API is spoken. Dapr Agents refuses any outside 1.16 to 2.0.
pub const RUNTIME_VERSION: &str = "1.18.0";

const MAX_LABELS: usize = 1_000;
const MAX_LABEL_BYTES: usize = 64 * 1024;

/// One sidecar: its components, its labels, and what it may do.
#[derive(Debug)]
pub struct Sidecar {
    /// Id of the application beside it.
    pub app_id: String,
    /// The components that answer.
    pub components: Components,
    /// Most bytes of a message, either way.
    pub max_body_size: usize,
    /// Who may call.
    pub access: Access,
    /// What was counted.
    pub metrics: Metrics,
    /// Stops the sidecar.
    pub drain: Drain,
    /// Labels that clients set.
    pub labels: Labels,
}

/// Labels that clients set with SetMetadata, bounded in number and size.
#[derive(Debug, Default)]
pub struct Labels(Mutex<BTreeMap<String, String>>);

impl Sidecar {
    /// Serves other components from now on. Calls in flight finish on those they began with.
    pub(crate) fn change(&self, change: Change) {
        let Change { added, changed, removed } = change;
        let renewed = added.into_iter().chain(changed);
        let renewed = renewed.map(|spec| Component::of(spec, &self.metrics)).collect();
        self.components.change(&removed, renewed);
    }

    /// The labels of clients and the sidecar's own, which win.
    pub fn extended_metadata(&self) -> BTreeMap<String, String> {
        let mut labels = self.labels.lock().clone();
        labels.insert("daprRuntimeVersion".to_owned(), RUNTIME_VERSION.to_owned());
        labels.insert("mynahVersion".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        labels
    }
}

impl Labels {
    /// Sets a label; one without a name is passed over, as daprd does.
    pub fn set(&self, key: String, value: String) -> Result<(), Error> {
        if key.is_empty() {
            return Ok(());
        }
        let mut labels = self.lock();
        let others = labels.iter().filter(|(name, _)| **name != key);
        let (count, bytes) = others.fold((0, 0), |(count, bytes), (name, text)| {
            (count + 1, bytes + name.len() + text.len())
        });
        if count >= MAX_LABELS || bytes + key.len() + value.len() > MAX_LABEL_BYTES {
            return Err(Error::MetadataFull { max_keys: MAX_LABELS, max_bytes: MAX_LABEL_BYTES });
        }
        labels.insert(key, value);
        Ok(())
    }

    /// Nothing that holds the lock can leave the map half changed.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
