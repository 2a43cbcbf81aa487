//! Secret stores: where `secretKeyRef` finds its values.
//!
//! The types that need nothing but this machine are read as daprd reads them. A store is opened
//! when the first secret is asked of it, so that one that nobody uses may be broken.

mod file;
mod local;

use std::{cell::OnceCell, collections::BTreeMap};

use self::local::Store;
pub(super) use self::local::is_forbidden;
use super::{
    Context, filter,
    manifest::{Manifest, Written},
};

/// The secret stores of the loaded resources, by name. It has no `Debug`, since it has secrets.
pub(super) struct SecretStores<'a> {
    stores: BTreeMap<&'a str, Declared<'a>>,
    context: &'a Context,
}

struct Declared<'a> {
    manifest: &'a Manifest,
    opened: OnceCell<Result<Store, String>>,
}

/// Why there is no secret.
pub(super) enum NoSecret {
    /// The store has none to give; daprd logs that and goes on.
    Missing(String),
    /// mynah has no such store to ask.
    NoStore(String),
}

/// Whether secrets can be read from the component.
pub(super) fn is_readable(manifest: &Manifest) -> bool {
    local::type_of(manifest).is_some()
}

impl<'a> SecretStores<'a> {
    /// The stores among these components that are this sidecar's.
    pub(super) fn new(manifests: impl Iterator<Item = &'a Manifest>, context: &'a Context) -> Self {
        let mut stores = BTreeMap::new();
        for manifest in manifests {
            if let Some(name) = &manifest.name
                && is_store(manifest)
                && filter::passed_over(manifest, context).is_none()
            {
                let declared = Declared { manifest, opened: OnceCell::new() };
                stores.entry(name.text.as_str()).or_insert(declared);
            }
        }
        Self { stores, context }
    }

    /// The value under a key of a secret, which is not empty.
    pub(super) fn secret(
        &self,
        store: Option<&Written>,
        name: &str,
        key: &str,
    ) -> Result<String, NoSecret> {
        let Some(Written { text: store, .. }) = store else {
            let message = format!("secret {name:?} has no store; name one in auth.secretStore");
            return Err(NoSecret::Missing(message));
        };
        let opened = self.open(store)?.as_ref();
        let value = opened.map_err(Clone::clone).and_then(|it| it.get(name, key, self.context));
        value.map_err(|why| NoSecret::Missing(format!("secret store {store:?}: {why}")))
    }

    fn open(&self, store: &str) -> Result<&Result<Store, String>, NoSecret> {
        let types = local::TYPES.join(" or ");
        let Some(declared) = self.stores.get(store) else {
            return Err(NoSecret::NoStore(format!(
                "secret store {store:?} is not among the resources; \
                 add a component of that name and of type {types}"
            )));
        };
        let Declared { manifest, opened } = declared;
        let Some(kind) = local::type_of(manifest) else {
            let kind = manifest.kind.as_ref().map_or("", |kind| &kind.text);
            return Err(NoSecret::NoStore(format!(
                "secret store {store:?} is a {kind}, which mynah cannot ask; \
                 use one of type {types}, version v1"
            )));
        };
        Ok(opened.get_or_init(|| Store::open(kind, manifest, self.context)))
    }
}

fn is_store(manifest: &Manifest) -> bool {
    manifest.kind.as_ref().is_some_and(|kind| kind.text.starts_with("secretstores."))
}
