//! Values that stand elsewhere: in the environment, or in a secret store. No message shows them.

use super::{
    item::SecretKeyRef,
    manifest::Written,
    metadata::Metadata,
    report::Report,
    secrets::{NoSecret, is_forbidden},
};
use crate::base::{diagnostics::Place, environment::Environment};

/// The value of an item.
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) text: String,
    /// What messages call the text where they must not show it.
    cover: Option<String>,
}

impl Found {
    /// A value that stands where it is used.
    pub(super) fn written(written: &Written) -> Self {
        let Written { place, text } = written.clone();
        Self { place, text, cover: None }
    }

    /// An error that begins with the text in quotes, without the text where nobody may see it.
    pub(super) fn without_secret(&self, error: String) -> String {
        let Some(cover) = &self.cover else { return error };
        let complaint = error.strip_prefix(&format!("{:?} ", self.text));
        format!("{cover} {}", complaint.unwrap_or("cannot be used"))
    }
}

/// The value of an environment variable; empty, with a warning, where there is none to be had.
pub(super) fn variable(
    metadata: &Metadata<'_>,
    key: &str,
    name: &Written,
    report: &mut Report,
) -> Found {
    let Written { place, text: name } = name;
    let text = look_up(&metadata.context.environment, name).unwrap_or_else(|warning| {
        report.warning(*place, format!("{key}: {warning}"));
        ""
    });
    Found { place: *place, text: text.to_owned(), cover: Some(format!("the value of {name}")) }
}

fn look_up<'a>(environment: &'a Environment, name: &str) -> Result<&'a str, String> {
    if is_forbidden(name) || name.contains(' ') {
        return Err(format!(
            "components may not read the environment variable {name:?}; \
             use one that is not APP_API_TOKEN or DAPR_*, without blanks"
        ));
    }
    let allowed = environment.get("DAPR_ENV_KEYS").unwrap_or_default();
    if !allowed.is_empty() && !is_allowed(allowed, name) {
        return Err(format!(
            "components may not read the environment variable {name:?}; \
             use one that DAPR_ENV_KEYS lists"
        ));
    }
    environment.get(name).ok_or_else(|| format!("the environment variable {name:?} is not set"))
}

/// As in daprd, the list is in capitals, and only the first place counts where the name stands.
fn is_allowed(list: &str, name: &str) -> bool {
    list.split_once(&name.to_uppercase()).is_some_and(|(before, after)| {
        (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '))
    })
}

/// A secret; what is written beside it, with a warning, where the secret is missing or empty.
/// `None` where the store is none that mynah can ask, which is a problem.
pub(super) fn secret(
    metadata: &Metadata<'_>,
    key: &str,
    secret: &SecretKeyRef,
    otherwise: &Written,
    report: &mut Report,
) -> Option<Found> {
    let place = secret.name.place;
    let store = metadata.manifest.secret_store.as_ref();
    match metadata.stores.secret(store, &secret.name.text, &secret.key) {
        Ok(text) => Some(Found { place, text, cover: Some("the secret".to_owned()) }),
        Err(NoSecret::Missing(message)) => {
            report.warning(place, format!("{key}: {message}"));
            Some(Found::written(otherwise))
        }
        Err(NoSecret::NoStore(message)) => {
            report.error(place, format!("{key}: {message}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked_up(allowed: &str, name: &str) -> bool {
        let variables = [
            ("DAPR_ENV_KEYS", allowed),
            ("DAPR_API_TOKEN", "x"),
            ("dapr_model", "x"),
            ("APP_API_TOKEN", "x"),
            ("A B", "x"),
            ("MODEL", "x"),
            ("model", "x"),
            ("MODELS", "x"),
        ];
        look_up(&variables.into_iter().collect(), name).is_ok()
    }

    #[test]
    fn some_variables_are_forbidden() {
        for name in ["DAPR_API_TOKEN", "dapr_model", "APP_API_TOKEN", "A B"] {
            assert!(!looked_up("", name), "{name}");
            assert!(!looked_up(&name.to_uppercase(), name), "{name}, although it is allowed");
        }
        assert!(looked_up("", "MODEL"));
        assert!(!looked_up("", "UNSET"));
    }

    #[test]
    fn a_list_allows_variables_as_it_does_in_daprd() {
        for allowed in ["MODEL", "KEY MODEL", "MODEL KEY", "KEY MODEL MODELS"] {
            assert!(looked_up(allowed, "MODEL"), "{allowed}");
            assert!(looked_up(allowed, "model"), "{allowed}");
        }
        for allowed in ["KEY", "model", "MODEL,KEY", "MODELS", "MODELS MODEL"] {
            assert!(!looked_up(allowed, "MODEL"), "{allowed}");
        }
    }
}
