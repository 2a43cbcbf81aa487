//! The kinds of participants in a file. Each kind has its keys, checks them and builds participants.

// planned   a checked participant of any kind
// keys      the keys of a participant
//   script    follows a script
//   echo      repeats the latest message
//   replay    says what a recorded participant said
//   command   is a program
//   http      answers HTTP requests
//   model     is a model
//     examples  recorded conversations for models
//     retrying  asks a model again if it fails

mod command;
mod echo;
mod examples;
mod http;
mod keys;
mod model;
mod planned;
mod replay;
mod retrying;
mod script;

pub use self::http::HttpAgentError;
pub(super) use self::{
    keys::{InlineParticipant, ParticipantKeys},
    planned::{PlannedParticipant, Start},
};
