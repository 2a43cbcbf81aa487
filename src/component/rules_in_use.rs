//! The rules in use.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use crate::{base::diagnostics::Diagnostic, provider::scripted::Rules};

/// The rules in use, so that unchanged files are not read again on a reload.
#[derive(Debug, Clone, Default)]
pub(crate) struct RulesInUse(Arc<Mutex<BTreeMap<String, Weak<Rules>>>>);

impl RulesInUse {
    /// Returns the rules from a source if they have the same text, or else reads them.
    pub(super) fn get_or_read(
        &self,
        source: &str,
        text: &str,
        read: impl FnOnce() -> Result<Rules, Vec<Diagnostic>>,
    ) -> Result<Arc<Rules>, Vec<Diagnostic>> {
        let mut in_use = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|_, rules| rules.strong_count() > 0);
        let known = in_use.get(source).and_then(Weak::upgrade).filter(|it| it.text() == text);
        if let Some(rules) = known {
            return Ok(rules);
        }
        let rules = Arc::new(read()?);
        in_use.insert(source.to_owned(), Arc::downgrade(&rules));
        Ok(rules)
    }
}
