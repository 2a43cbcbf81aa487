//! The secret store types that mynah supports.

use super::file::{SecretsFile, no_key};
use crate::{
    base::environment::Environment,
    component::{
        manifest::Manifest,
        report::Report,
        settings::{environment::is_forbidden, metadata::Metadata},
    },
};

pub(super) const TYPES: [&str; 2] = ["secretstores.local.env", "secretstores.local.file"];

/// A supported store type.
#[derive(Clone, Copy)]
pub(super) enum StoreType {
    Environment,
    File,
}

/// An open store.
pub(super) enum Store {
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
pub(super) fn type_of(manifest: &Manifest) -> Option<StoreType> {
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
