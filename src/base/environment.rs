//! The environment variables of the process.

use std::{collections::BTreeMap, fmt};

/// Environment variables by name. `Debug` shows only the names, because values may be secret.
///
/// ```
/// use mynah::internals::base::environment::Environment;
/// let environment: Environment = [("NAMESPACE", "shop")].into_iter().collect();
/// assert_eq!(environment.get("NAMESPACE"), Some("shop"));
/// assert_eq!(format!("{environment:?}"), r#"{"NAMESPACE"}"#);
/// ```
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Reads the environment of this process, except variables that are not UTF-8.
    #[expect(clippy::disallowed_methods, reason = "this file is exempt from the ban")]
    pub fn read() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// Returns the value of a variable, which may be empty, or `None` if the variable is not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
