//! Finds simulations among other files.

use std::path::Path;

use mynah_core::base::{files, yaml::TopLevel};

const KEY: &str = "scenarios";

/// Returns `true` if a file is a simulation, which has the key `scenarios` at the top level.
pub fn is_simulation(file: &Path) -> bool {
    files::read_regular(file).is_ok_and(|text| {
        TopLevel::with_one_of(&[KEY], &text).is_some_and(|top_level| top_level.has(KEY))
    })
}
