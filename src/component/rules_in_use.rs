//! The rules in use.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use crate::{
    base::diagnostics::Diagnostic,
    provider::scripted::{Rules, rules::RulesText},
};

/// The rules in use, so that unchanged files are not read again on a reload.
#[derive(Debug, Clone, Default)]
pub(crate) struct RulesInUse(Arc<Mutex<BTreeMap<Sources, Weak<Rules>>>>);

/// What reports call the texts of rules.
type Sources = Vec<Arc<str>>;

impl RulesInUse {
    /// Returns the rules with the same texts from the same sources, or else reads them.
    pub(super) fn get_or_read(&self, texts: Vec<RulesText>) -> Result<Arc<Rules>, Vec<Diagnostic>> {
        let sources: Vec<_> = texts.iter().map(|text| text.source.clone()).collect();
        let mut in_use = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|_, rules| rules.strong_count() > 0);
        let known = in_use.get(&sources).and_then(Weak::upgrade);
        if let Some(rules) = known.filter(|rules| rules.texts().eq(&texts)) {
            return Ok(rules);
        }
        let rules = Arc::new(Rules::read_all(texts)?);
        in_use.insert(sources, Arc::downgrade(&rules));
        Ok(rules)
    }
}
