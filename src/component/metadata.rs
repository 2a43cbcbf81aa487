//! The settings of a component, read by name.

use std::{collections::BTreeSet, fmt::Display};

use super::{
    Context, common,
    item::{Item, Source},
    manifest::{Manifest, Written},
    reference::{self, Found},
    report::Report,
    secrets::SecretStores,
    template,
};
use crate::base::diagnostics::Place;

/// The metadata items of one component, and what they may refer to.
#[derive(Clone, Copy)]
pub(super) struct Metadata<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) context: &'a Context,
    pub(super) stores: &'a SecretStores<'a>,
}

impl Metadata<'_> {
    /// Complains about keys that stand there twice, and about those that nobody knows. The common
    /// ones are always known.
    pub(super) fn check_keys(&self, kind: &str, known: &[&str], report: &mut Report) {
        let known = [known, &common::KEYS].concat();
        let mut seen = BTreeSet::new();
        for item in &self.manifest.items {
            let name = &item.name;
            if !seen.insert(name.to_ascii_lowercase()) {
                let message = format!("key {name} is duplicate in the metadata");
                report.error(item.place, message);
            } else if !known.iter().any(|key| key.eq_ignore_ascii_case(name)) {
                let known = known.join(", ");
                let message = format!("metadata key {name:?} is not read; {kind} has {known}");
                report.warning(item.place, message);
            }
        }
    }

    /// The text under a key; `None` where there is none, it is empty, or there is a problem.
    pub(super) fn text(&self, key: &str, report: &mut Report) -> Option<String> {
        self.find(key, report).map(|found| found.text)
    }

    /// What `parse` makes of the text under a key. Its errors begin with the text in quotes.
    pub(super) fn parse<T, E: Display>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
        report: &mut Report,
    ) -> Option<T> {
        let found = self.find(key, report)?;
        parse(&found.text)
            .map_err(|error| {
                let complaint = found.without_secret(error.to_string());
                report.error(found.place, format!("{key}: {complaint}"));
            })
            .ok()
    }

    /// Where a key stands.
    pub(super) fn place(&self, key: &str) -> Option<Place> {
        self.item(key).map(|item| item.place)
    }

    /// The text that is written under a key, and no problem: `None` where it would come from
    /// elsewhere, or is empty.
    pub(super) fn written(&self, key: &str) -> Option<String> {
        let Source::Value(Written { text, .. }) = &self.item(key)?.source else { return None };
        let text = template::expand(text, self.context, self.component(), key).ok()?;
        Some(text).filter(|text| !text.is_empty())
    }

    fn find(&self, key: &str, report: &mut Report) -> Option<Found> {
        let mut found = match &self.item(key)?.source {
            Source::Value(written) => Found::written(written),
            Source::Variable(name) => reference::variable(self, key, name, report),
            Source::Secret { secret, otherwise } => {
                reference::secret(self, key, secret, otherwise, report)?
            }
        };
        found.text = template::expand(&found.text, self.context, self.component(), key)
            .map_err(|error| report.error(found.place, format!("{key}: {error}")))
            .ok()?;
        Some(found).filter(|found| !found.text.is_empty())
    }

    fn item(&self, key: &str) -> Option<&Item> {
        self.manifest.items.iter().find(|item| item.name.eq_ignore_ascii_case(key))
    }

    fn component(&self) -> &str {
        self.manifest.name.as_ref().map_or("", |name| &name.text)
    }
}
