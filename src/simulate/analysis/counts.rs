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
    if let Some(count) = counts.get_mut(name) {
        return add(count);
    }
    let name = if counts.len() < MAX_NAMES { name } else { OTHERS };
    add(counts.entry(name.to_owned()).or_default());
}
