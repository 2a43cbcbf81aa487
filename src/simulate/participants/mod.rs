//! Participants of conversations.

// script    follows a script
// model     asks a model
// http      answers HTTP requests
// command   is a program
// external  what these two get and answer
// typing    adds the time that writing takes

#[cfg(feature = "server")]
mod command;
#[cfg(feature = "server")]
mod external;
#[cfg(feature = "server")]
mod http;
mod model;
mod script;
mod typing;

#[cfg(feature = "server")]
pub use self::{
    command::CommandParticipant,
    http::{HttpAgent, HttpParticipant},
};
#[cfg(feature = "server")]
pub(super) use self::{external::TURN_FIELDS, http::Poll};
pub use self::{
    model::{ModelParticipant, SimulatedTurn},
    script::{Script, ScriptStep},
    typing::Typing,
};
#[cfg(feature = "server")]
pub use super::kinds::HttpAgentError;
