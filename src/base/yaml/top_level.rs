//! Finds simulations among other files.

use std::path::Path;

use crate::base::{files, yaml};

/// Returns `true` if a file is a simulation, which has the key `scenarios` at the top level.
pub(crate) fn is_simulation(file: &Path) -> bool {
    files::read_regular(file).is_ok_and(|text| has_scenarios(&text))
}

fn has_scenarios(text: &str) -> bool {
    // Parsing is much slower than searching.
    text.contains("scenarios")
        && match yaml::parse_own(text) {
            Ok(tree) => tree.is_some_and(|tree| tree.root.field("scenarios").is_some()),
            // A file with mistakes in its syntax.
            Err(_) => text.lines().any(|line| line.starts_with("scenarios:")),
        }
}
