//! The labels of a sidecar.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::wire::error::Error;

const MAX_LABELS: usize = 1_000;
const MAX_LABEL_BYTES: usize = 64 * 1024;

/// The labels that clients set with SetMetadata, limited in number and size.
#[derive(Debug, Default)]
pub struct Labels(Mutex<BTreeMap<String, String>>);

impl Labels {
    /// Sets a label. Like daprd, ignores a label without a name.
    ///
    /// # Errors
    ///
    /// Returns [`Error::MetadataFull`] if the labels would exceed a limit.
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

    /// Returns all labels.
    pub(super) fn all(&self) -> BTreeMap<String, String> {
        self.lock().clone()
    }

    /// Locks the labels. Ignores poisoning, because a panic cannot leave the map in an invalid
    /// state.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
