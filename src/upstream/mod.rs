//! Real models: where requests go that nothing here answers, and the recording of their answers.
//!
//! Nothing is sent anywhere unless the command line says so.

mod daprd;
mod hashed_file;
mod openai;
mod recorded;
mod recorded_file;
mod recorder;
mod recordings;
mod redacted;
mod repeats;
mod request_files;
mod unrecorded;
mod writer;

pub(crate) use self::{
    daprd::{DaprdModel, ListedComponent, list_components},
    openai::{OpenAi, OpenAiSettings},
    recorded::RecordedProvider,
    recorder::{Closed, Recorder, RecorderError},
    recordings::{read_recording, recording_text},
    redacted::RedactedProvider,
};
