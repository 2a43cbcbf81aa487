//! The values that headers of requests refer to.

use mynah_core::base::environment::Environment;

/// Resolves the references in headers of requests.
pub trait References {
    /// Returns the value of an environment variable. Fails with a message if there is none.
    fn variable(&self, name: &str) -> Result<String, String>;

    /// Returns the value of a key in a secret. Fails with a message if there is none.
    fn secret(&self, name: &str, key: &str) -> Result<String, String>;
}

/// Outside of components, which have secret stores, there are only environment variables.
impl References for Environment {
    fn variable(&self, name: &str) -> Result<String, String> {
        let value = self.get(name).map(str::to_owned);
        value.ok_or_else(|| format!("the environment variable {name} is not set"))
    }

    fn secret(&self, _: &str, _: &str) -> Result<String, String> {
        Err("only components have secret stores; use envRef".to_owned())
    }
}
