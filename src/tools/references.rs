//! The values that headers of requests refer to.

use crate::base::environment::Environment;

/// Where headers of requests find the values that they refer to.
#[derive(Clone, Copy)]
pub(crate) struct References<'a> {
    pub(crate) environment: &'a Environment,
    /// `None` outside of components, which have secret stores.
    pub(crate) secrets: Option<&'a dyn Secrets>,
}

/// The secrets that a component may use.
pub(crate) trait Secrets {
    /// Returns the value of a key in a secret. Fails with a message if there is none.
    fn secret(&self, name: &str, key: &str) -> Result<String, String>;
}

impl References<'_> {
    pub(super) fn variable(&self, name: &str) -> Result<String, String> {
        let value = self.environment.get(name).map(str::to_owned);
        value.ok_or_else(|| format!("the environment variable {name} is not set"))
    }

    pub(super) fn secret(&self, name: &str, key: &str) -> Result<String, String> {
        match self.secrets {
            Some(secrets) => secrets.secret(name, key),
            None => Err("only components have secret stores; use envRef".to_owned()),
        }
    }
}
