//! The difference between two loads of the same component files.

use std::{collections::BTreeMap, fmt};

use super::{load::Loaded, spec::ComponentSpec};
use crate::base::diagnostics::Diagnostic;

/// The difference between two sets of components. The lists are sorted by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Components with new names.
    pub added: Vec<ComponentSpec>,
    /// Components whose settings have changed.
    pub changed: Vec<ComponentSpec>,
    /// Names that are no longer used.
    pub removed: Vec<String>,
}

impl Change {
    /// Compares two sets of components. The order and the files of the components do not matter.
    pub fn between(before: &[ComponentSpec], now: &[ComponentSpec]) -> Self {
        let (mut before, mut change) = (by_name(before), Self::default());
        for (name, spec) in by_name(now) {
            match before.remove(name) {
                None => change.added.push(spec.clone()),
                Some(old) if old != spec => change.changed.push(spec.clone()),
                Some(_) => {}
            }
        }
        change.removed = before.into_keys().map(str::to_owned).collect();
        change
    }

    /// Returns `true` if nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

fn by_name(specs: &[ComponentSpec]) -> BTreeMap<&str, &ComponentSpec> {
    specs.iter().map(|spec| (spec.name.as_str(), spec)).collect()
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |specs: &[ComponentSpec]| specs.iter().map(|spec| spec.name.clone()).collect();
        let lists: [(_, Vec<_>); 3] = [
            ("added", names(&self.added)),
            ("changed", names(&self.changed)),
            ("removed", self.removed.clone()),
        ];
        let lists = lists.iter().filter(|(_, names)| !names.is_empty());
        let lists: Vec<_> =
            lists.map(|(title, names)| format!("{title} {}", names.join(", "))).collect();
        f.write_str(&lists.join("; "))
    }
}

/// Returns an error for each file that had components before and is empty now. The program that
/// writes such a file has probably truncated it and is not finished.
pub(crate) fn truncated_files(before: &Loaded, now: &Loaded) -> Vec<Diagnostic> {
    let error = |file| {
        let message =
            "empty, possibly still being written; delete the file to remove its components";
        Diagnostic::error(message).in_file(file)
    };
    now.empty_files.intersection(&before.component_files).map(error).collect()
}
