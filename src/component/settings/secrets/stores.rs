//! The secret stores among the loaded components, and what they read.

use std::{cell::OnceCell, collections::BTreeMap, path::Path};

use super::file::{SecretsFile, no_key};
use crate::{
    base::environment::Environment,
    component::{
        context::Context,
        filter,
        manifest::{Located, Manifest},
        report::Report,
        settings::{
            Access,
            environment::is_forbidden,
            metadata::{Metadata, SecretError, SecretSource},
        },
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
        let types = TYPES.join(" or ");
        let Some(declared) = self.stores.get(store) else {
            return Err(SecretError::NoStore(format!(
                "secret store {store:?} is not loaded; \
                 add a component with this name and type {types}"
            )));
        };
        let Declared { manifest, opened } = declared;
        let Some(kind) = type_of(manifest) else {
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

const TYPES: [&str; 2] = ["secretstores.local.env", "secretstores.local.file"];

/// A supported store type.
#[derive(Clone, Copy)]
enum StoreType {
    Environment,
    File,
}

/// An open store.
enum Store {
    /// Environment variables whose names begin with the prefix.
    Environment {
        prefix: String,
    },
    File(SecretsFile),
}

/// Returns `true` if the component is a secret store that mynah supports.
pub(crate) fn is_supported(manifest: &Manifest) -> bool {
    type_of(manifest).is_some()
}

/// Returns the type of a store. As in daprd, case matters only in the category.
fn type_of(manifest: &Manifest) -> Option<StoreType> {
    let kind = manifest.kind.as_ref()?.text.strip_prefix("secretstores.")?;
    match kind.to_lowercase().as_str() {
        "local.env" if manifest.is_first_version() => Some(StoreType::Environment),
        "local.file" if manifest.is_first_version() => Some(StoreType::File),
        _ => None,
    }
}

impl Store {
    /// Opens a store with the settings in its metadata.
    pub(super) fn open(kind: StoreType, metadata: &Metadata<'_>) -> Result<Self, String> {
        let mut report = Report::default();
        let store = match kind {
            StoreType::Environment => {
                let prefix = metadata.text("prefix", &mut report).unwrap_or_default();
                Ok(Self::Environment { prefix })
            }
            StoreType::File => SecretsFile::open(metadata, &mut report).map(Self::File),
        };
        match report.first_error() {
            Some(error) => Err(error.message.clone()),
            None => store,
        }
    }

    /// Returns the value of a key in a secret. The value is never empty.
    pub(super) fn get(
        &self,
        name: &str,
        key: &str,
        environment: &Environment,
    ) -> Result<String, String> {
        match self {
            Self::Environment { prefix } => {
                let value = variable(&format!("{prefix}{name}"), environment)?;
                if key == name { Ok(value.to_owned()) } else { Err(no_key(name, key)) }
            }
            Self::File(secrets) => secrets.get(name, key),
        }
    }
}

fn variable<'a>(name: &str, environment: &'a Environment) -> Result<&'a str, String> {
    if is_forbidden(name) {
        return Err(format!(
            "components may not read the environment variable {name:?}; \
             APP_API_TOKEN and DAPR_* are not allowed"
        ));
    }
    let value = environment.get(name).filter(|value| !value.is_empty());
    value.ok_or_else(|| format!("the environment variable {name:?} is not set"))
}
