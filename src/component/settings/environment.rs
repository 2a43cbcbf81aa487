//! Reads the environment variables that an `envRef` refers to.

use crate::base::{environment::Environment, secrets::is_secret_name};

/// Returns the value of an environment variable, if components may read the variable.
pub(crate) fn variable<'a>(environment: &'a Environment, name: &str) -> Result<&'a str, String> {
    if is_forbidden(name) || name.contains(' ') {
        return Err(format!(
            "components may not read the environment variable {name:?}; \
             APP_API_TOKEN, DAPR_* and names with spaces are not allowed"
        ));
    }
    let allowed = environment.get("DAPR_ENV_KEYS").unwrap_or_default();
    if !allowed.is_empty() && !is_allowed(allowed, name) {
        return Err(format!(
            "components may not read the environment variable {name:?}; \
             add it to DAPR_ENV_KEYS"
        ));
    }
    let value = environment.get(name);
    if let Some(value) = value.filter(|_| is_secret_name(name)) {
        environment.hide(value);
    }
    value.ok_or_else(|| format!("the environment variable {name:?} is not set"))
}

/// Returns `true` if `DAPR_ENV_KEYS` lists a variable. As in daprd, the list must be in upper case,
/// and only the first occurrence of the name counts.
fn is_allowed(list: &str, name: &str) -> bool {
    list.split_once(&name.to_uppercase()).is_some_and(|(before, after)| {
        (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '))
    })
}

/// Returns `true` if a variable is one of Dapr's own. The case of the name does not matter.
pub(super) fn is_forbidden(variable: &str) -> bool {
    let variable = variable.to_uppercase();
    variable == "APP_API_TOKEN" || variable.starts_with("DAPR_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_readable(allowed: &str, name: &str) -> bool {
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
        variable(&variables.into_iter().collect(), name).is_ok()
    }

    #[test]
    fn rejects_dapr_variables() {
        for name in ["DAPR_API_TOKEN", "dapr_model", "APP_API_TOKEN", "A B"] {
            assert!(!is_readable("", name), "{name}");
            assert!(!is_readable(&name.to_uppercase(), name), "{name}");
        }
        assert!(is_readable("", "MODEL"));
        assert!(!is_readable("", "UNSET"));
    }

    #[test]
    fn checks_dapr_env_keys_like_daprd() {
        for allowed in ["MODEL", "KEY MODEL", "MODEL KEY", "KEY MODEL MODELS"] {
            assert!(is_readable(allowed, "MODEL"), "{allowed}");
            assert!(is_readable(allowed, "model"), "{allowed}");
        }
        for allowed in ["KEY", "model", "MODEL,KEY", "MODELS", "MODELS MODEL"] {
            assert!(!is_readable(allowed, "MODEL"), "{allowed}");
        }
    }
}
