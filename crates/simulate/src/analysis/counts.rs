//! Counts by name.

use std::collections::BTreeMap;

/// Maximum number of names. Models can invent names, and recordings can have any number of them.
const MAX_NAMES: usize = 1_000;
/// The name under which the names above the maximum are counted.
const OTHERS: &str = "(others)";

/// Adds to the count of a name.
pub(super) fn add<T: Default>(
    counts: &mut BTreeMap<String, T>,
    name: &str,
    add: impl FnOnce(&mut T),
) {
    let name = counted_name(counts, name);
    match counts.get_mut(name) {
        Some(count) => add(count),
        None => add(counts.entry(name.to_owned()).or_default()),
    }
}

/// Returns the name under which a name is counted.
pub(super) fn counted_name<'a, T>(counts: &BTreeMap<String, T>, name: &'a str) -> &'a str {
    if counts.len() < MAX_NAMES || counts.contains_key(name) { name } else { OTHERS }
}
