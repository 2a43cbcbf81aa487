//! The file format of simulations.

// format        the keys of a file and its JSON Schema
//   model       the models, such as judges
//   detector    the detectors and the conditions on messages
//   scenario    the scenarios
//   value       numbers, times and pointers
//   short       a text or a mapping
// places        the places of values in a file
// recognise     finds simulations among other files

mod detector;
mod format;
mod model;
mod places;
mod recognise;
mod scenario;
mod short;
#[cfg(test)]
mod tests;
mod value;

pub(super) use self::{
    detector::DetectorSource,
    format::{Detect, EndOnSource, SimulateFile},
    model::{JudgeSource, ModelRef, SidecarSource},
    places::Places,
    scenario::{FromSource, ParticipantRef, ScenarioSource, Start},
    short::Short,
    value::Count,
};
pub use self::{format::schema, recognise::is_simulation};
