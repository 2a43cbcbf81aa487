//! The secret stores among the loaded components.

use std::{cell::OnceCell, collections::BTreeMap, path::Path};

use super::store::{self, Store};
use crate::component::{
    context::Context,
    filter,
    manifest::{Located, Manifest},
    settings::{
        Access,
        metadata::{Metadata, SecretError, SecretSource},
    },
};

/// Secret stores by name. Does not implement `Debug`, because it holds secrets.
pub(crate) struct SecretStores<'a> {
    stores: BTreeMap<&'a str, Declared<'a>>,
    context: &'a Context,
}

/// A store, which is opened on first use.
struct Declared<'a> {
    manifest: &'a Manifest,
    opened: OnceCell<Result<Store, String>>,
}

impl<'a> SecretStores<'a> {
    /// Returns the stores among the components, without those that this sidecar must skip.
    pub(crate) fn new(manifests: impl Iterator<Item = &'a Manifest>, context: &'a Context) -> Self {
        let mut stores = BTreeMap::new();
        for manifest in manifests {
            if let Some(name) = &manifest.name
                && manifest.kind_text().starts_with("secretstores.")
                && filter::skip_reason(manifest, context).is_none()
            {
                let declared = Declared { manifest, opened: OnceCell::new() };
                stores.entry(name.text.as_str()).or_insert(declared);
            }
        }
        Self { stores, context }
    }

    fn open(&self, store: &str) -> Result<&Result<Store, String>, SecretError> {
        let types = store::TYPES.join(" or ");
        let Some(declared) = self.stores.get(store) else {
            return Err(SecretError::NoStore(format!(
                "secret store {store:?} is not loaded; \
                 add a component with this name and type {types}"
            )));
        };
        let Declared { manifest, opened } = declared;
        let Some(kind) = store::type_of(manifest) else {
            let kind = manifest.kind_text();
            return Err(SecretError::NoStore(format!(
                "secret store {store:?} has type {kind}, which is not supported; \
                 use {types}, version v1"
            )));
        };
        Ok(opened.get_or_init(|| {
            // The settings of a store cannot come from another store.
            let no_stores = SecretStores { stores: BTreeMap::new(), context: self.context };
            Store::open(
                kind,
                &Metadata {
                    manifest,
                    context: self.context,
                    secrets: &no_stores,
                    file: Path::new(""),
                    folder: Path::new(""),
                    access: Access::All,
                    shared_rules: None,
                },
            )
        }))
    }
}

impl SecretSource for SecretStores<'_> {
    fn secret(
        &self,
        store: Option<&Located>,
        name: &str,
        key: &str,
    ) -> Result<String, SecretError> {
        let Some(Located { text: store, .. }) = store else {
            let message = format!("secret {name:?} has no store; set auth.secretStore");
            return Err(SecretError::Missing(message));
        };
        let environment = &self.context.environment;
        let opened = self.open(store)?.as_ref().map_err(Clone::clone);
        let value = opened.and_then(|opened| opened.get(name, key, environment));
        if let Ok(secret) = &value {
            environment.hide(secret);
        }
        environment.record(&format!("secret {store:?} {name:?} {key:?}"), value.as_deref().ok());
        value.map_err(|error| SecretError::Missing(format!("secret store {store:?}: {error}")))
    }
}
