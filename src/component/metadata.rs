//! The settings of a component, read by name.

use std::{collections::BTreeSet, fmt::Display};

use super::{
    Context, Level, common,
    manifest::{Item, Source, Written},
    report::Report,
    template,
};

/// The metadata items of one component.
#[derive(Debug, Clone, Copy)]
pub(super) struct Metadata<'a> {
    pub(super) component: &'a str,
    pub(super) items: &'a [Item],
    pub(super) context: &'a Context,
}

impl Metadata<'_> {
    /// Complains about keys that stand there twice, and about those that nobody knows. The common
    /// ones are always known.
    pub(super) fn check_keys(&self, kind: &str, known: &[&str], report: &mut Report) {
        let known = [known, &common::KEYS].concat();
        let mut seen = BTreeSet::new();
        for item in self.items {
            let name = &item.name;
            if !seen.insert(name.to_ascii_lowercase()) {
                let message = format!("key {name} is duplicate in the metadata");
                report.problem(item.place, message);
            } else if !known.iter().any(|key| key.eq_ignore_ascii_case(name)) {
                let known = known.join(", ");
                let message = format!("metadata key {name:?} is not read; {kind} has {known}");
                report.notice(Level::Warning, item.place, message);
            }
        }
    }

    /// The text under a key; `None` where there is none, it is empty, or there is a problem.
    pub(super) fn text(&self, key: &str, report: &mut Report) -> Option<String> {
        self.find(key, report).map(|written| written.text)
    }

    /// What `parse` makes of the text under a key.
    pub(super) fn parse<T, E: Display>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
        report: &mut Report,
    ) -> Option<T> {
        let written = self.find(key, report)?;
        parse(&written.text)
            .map_err(|error| report.problem(written.place, format!("{key}: {error}")))
            .ok()
    }

    fn find(&self, key: &str, report: &mut Report) -> Option<Written> {
        let item = self.items.iter().find(|item| item.name.eq_ignore_ascii_case(key))?;
        let written = match &item.source {
            Source::Value(written) => written,
            Source::Reference(field) => {
                let message = format!("{key}: {field} is not supported yet; use value");
                report.problem(item.place, message);
                return None;
            }
        };
        let text = template::expand(&written.text, self.context, self.component, key)
            .map_err(|error| report.problem(written.place, format!("{key}: {error}")))
            .ok()?;
        Some(Written { place: written.place, text }).filter(|written| !written.text.is_empty())
    }
}
