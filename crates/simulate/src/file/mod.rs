//! The file format of simulations.

// format    the keys of a file and its JSON Schema
//   value   numbers, times, values that are a text or a mapping, and models
// places    the places of values in a file

mod format;
mod places;
#[cfg(test)]
mod tests;
mod value;

use std::path::Path;

use mynah_core::base::{files, yaml::TopLevel};

pub use self::format::schema;
pub(super) use self::{
    format::{
        DetectorSource, EndOnSource, FromSource, ParticipantRef, ScenarioSource, SimulateFile,
        Start,
    },
    places::Places,
    value::{Count, JudgeSource, ModelRef, Short, SidecarSource},
};

const KEY: &str = "scenarios";

/// Returns `true` if a file is a simulation, which has the key `scenarios` at the top level.
pub fn is_simulation(file: &Path) -> bool {
    files::read_regular(file).is_ok_and(|text| {
        TopLevel::with_one_of(&[KEY], &text).is_some_and(|top_level| top_level.has(KEY))
    })
}
