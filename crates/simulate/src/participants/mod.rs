//! Participants of conversations.

// script    follows a script, and adds the time that writing takes
// model     asks a model
// http      answers HTTP requests
// command   is a program
// external  what these two get and answer

mod command;
mod external;
mod http;
mod model;
mod script;

pub use self::{
    command::CommandParticipant,
    http::{HttpAgent, HttpParticipant},
    model::{ModelParticipant, SimulatedTurn},
    script::{Script, ScriptStep, Typing},
};
pub(super) use self::{external::TURN_FIELDS, http::Poll};
pub use super::kinds::HttpAgentError;
