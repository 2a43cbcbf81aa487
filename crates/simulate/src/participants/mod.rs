//! Participants of conversations.

// script    follows a script
// model     asks a model
// http      answers HTTP requests
// command   is a program
// external  what these two get and answer
// typing    adds the time that writing takes

mod command;
mod external;
mod http;
mod model;
mod script;
mod typing;

pub use self::{
    command::CommandParticipant,
    http::{HttpAgent, HttpParticipant},
};
pub(super) use self::{external::TURN_FIELDS, http::Poll};
pub use self::{
    model::{ModelParticipant, SimulatedTurn},
    script::{Script, ScriptStep},
    typing::Typing,
};
pub use super::kinds::HttpAgentError;
