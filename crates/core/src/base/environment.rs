//! The environment variables of the process.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// The lengths of secrets that are hidden, and how many there may be.
const MIN_SECRET: usize = 6;
const MAX_SECRET: usize = 8 * 1024;
const MAX_SECRETS: usize = 1_000;

/// Environment variables by name. `Debug` shows only the names, because values may be secret.
///
/// ```
/// use mynah_core::base::environment::Environment;
/// let environment: Environment = [("NAMESPACE", "shop")].into_iter().collect();
/// assert_eq!(environment.get("NAMESPACE"), Some("shop"));
/// assert_eq!(format!("{environment:?}"), r#"{"NAMESPACE"}"#);
/// ```
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    /// The values that were read, if they are recorded.
    recorded: Option<Arc<Mutex<Recorded>>>,
    /// Secrets that components use, which this environment and its clones share.
    hidden: Arc<Mutex<BTreeSet<String>>>,
}

/// Values by what they were read from. `None` if there was no value.
type Recorded = BTreeMap<String, Option<String>>;

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
        let value = self.variables.get(name).map(String::as_str);
        self.record(name, value);
        value
    }

    /// Returns a copy that records the variables that are read from it and from its clones.
    pub fn recording(&self) -> Self {
        Self { recorded: Some(Arc::default()), ..self.clone() }
    }

    /// Records another value, such as a secret, if this environment is [recording](Self::recording).
    pub fn record(&self, source: &str, value: Option<&str>) {
        if let Some(recorded) = &self.recorded {
            let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
            recorded.insert(source.to_owned(), value.map(str::to_owned));
        }
    }

    /// Adds a secret that must not be stored or shown. Short values are ignored, because they would
    /// also be found in other texts.
    pub fn hide(&self, secret: &str) {
        if (MIN_SECRET..=MAX_SECRET).contains(&secret.len()) {
            let mut hidden = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
            if hidden.len() < MAX_SECRETS {
                hidden.insert(secret.to_owned());
            }
        }
    }

    /// Returns the secrets that must not be stored or shown.
    pub fn hidden(&self) -> Vec<String> {
        self.hidden.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns all recorded values as text. It may contain secrets.
    pub fn recorded(&self) -> String {
        let recorded = self.recorded.iter();
        let lock = |it: &Arc<Mutex<Recorded>>| {
            format!("{:?}", it.lock().unwrap_or_else(PoisonError::into_inner))
        };
        recorded.map(lock).collect()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { variables: variables.collect(), recorded: None, hidden: Arc::default() }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}
