//! What differs between two loads of the same paths.

use std::{collections::BTreeMap, fmt};

use super::{ComponentSpec, Loaded, Problem};

/// How one set of components becomes another. Names are unique, and each list is in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Those of new names.
    pub added: Vec<ComponentSpec>,
    /// Those that are set up in another way.
    pub changed: Vec<ComponentSpec>,
    /// The names that nobody has any more.
    pub removed: Vec<String>,
}

impl Change {
    /// What changed; where and in which order components are written does not count.
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

    /// Whether nothing changed.
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
            lists.map(|(what, names)| format!("{what} {}", names.join(", "))).collect();
        f.write_str(&lists.join("; "))
    }
}

/// The files that are blank now and held components before: whoever writes them is not done.
pub(crate) fn half_written(before: &Loaded, now: &Loaded) -> Vec<Problem> {
    let problem = |file: &std::path::PathBuf| Problem {
        file: file.clone(),
        place: None,
        message: "empty, and taken for half-written; to remove its components, delete the file"
            .to_owned(),
    };
    now.blank.intersection(&before.filled).map(problem).collect()
}
