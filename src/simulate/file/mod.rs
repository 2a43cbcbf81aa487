//! The file format of simulations.

// format        the keys of a file and its JSON Schema
//   participant the participants
//     http      a participant behind HTTP
//   model       the models, such as judges
//   detector    the detectors and the conditions on messages
//   scenario    the scenarios
//   value       numbers, times and pointers
//   short       a text or a mapping
// places        the places of values in a file
// recognise     finds simulations among other files

mod detector;
mod format;
mod http;
mod model;
mod participant;
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
    http::{HttpSource, PollSource},
    model::{JudgeSource, ModelRef, SidecarSource},
    participant::{Definition, Kind, ModelSource, ParticipantSource, Said, Step},
    places::Places,
    scenario::{FromSource, ParticipantRef, RecordingFormat, ScenarioSource, Start},
    short::Short,
};
pub(crate) use self::{format::schema, recognise::is_simulation};
