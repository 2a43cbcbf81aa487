//! The secret stores that need nothing but this machine.

use super::{
    super::{
        Context, manifest::Manifest, metadata::Metadata, report::Report, secrets::SecretStores,
    },
    file::Secrets,
};

pub(super) const TYPES: [&str; 2] = ["secretstores.local.env", "secretstores.local.file"];

#[derive(Clone, Copy)]
pub(super) enum Type {
    Environment,
    File,
}

/// A store that can be asked.
pub(super) enum Store {
    /// Environment variables, whose names begin with the prefix.
    Environment {
        prefix: String,
    },
    File(Secrets),
}

/// The type of a store that mynah can ask. As in daprd, case does not matter after the category.
pub(super) fn type_of(manifest: &Manifest) -> Option<Type> {
    let kind = manifest.kind.as_ref()?.text.strip_prefix("secretstores.")?;
    match kind.to_lowercase().as_str() {
        "local.env" if manifest.is_first_version() => Some(Type::Environment),
        "local.file" if manifest.is_first_version() => Some(Type::File),
        _ => None,
    }
}

impl Store {
    /// Reads what the store needs.
    pub(super) fn open(kind: Type, manifest: &Manifest, context: &Context) -> Result<Self, String> {
        let no_stores = SecretStores::new([].into_iter(), context);
        let metadata = Metadata { manifest, context, stores: &no_stores };
        let mut report = Report::default();
        let store = match kind {
            Type::Environment => {
                let prefix = metadata.text("prefix", &mut report).unwrap_or_default();
                Ok(Self::Environment { prefix })
            }
            Type::File => Secrets::open(metadata, &mut report).map(Self::File),
        };
        // What is wrong with its settings is why it cannot be opened.
        match report.first_error() {
            Some(error) => Err(error.message.clone()),
            None => store,
        }
    }

    /// The value under a key of a secret, which is not empty.
    pub(super) fn get(&self, name: &str, key: &str, context: &Context) -> Result<String, String> {
        match self {
            Self::Environment { prefix } => variable(&format!("{prefix}{name}"), context)
                .and_then(|value| if key == name { Ok(value) } else { Err(no_key(name, key)) }),
            Self::File(secrets) => secrets.get(name, key),
        }
    }
}

pub(super) fn no_key(name: &str, key: &str) -> String {
    format!("secret {name:?} has no key {key:?}")
}

fn variable(name: &str, context: &Context) -> Result<String, String> {
    if is_forbidden(name) {
        return Err(format!(
            "components may not read the environment variable {name:?}; \
             use one that is not APP_API_TOKEN or DAPR_*"
        ));
    }
    let value = context.environment.get(name).filter(|value| !value.is_empty());
    let value = value.ok_or_else(|| format!("the environment variable {name:?} is not set"))?;
    Ok(value.to_owned())
}

/// Variables that are Dapr's own, whatever their case.
pub(in super::super) fn is_forbidden(variable: &str) -> bool {
    let variable = variable.to_uppercase();
    variable == "APP_API_TOKEN" || variable.starts_with("DAPR_")
}
