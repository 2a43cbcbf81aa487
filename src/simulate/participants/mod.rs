//! Participants of conversations.

// model     asks a model
// script    follows a script
// http      answers HTTP requests
// command   is a program
// external  what these two get and answer
// typing    adds the time that writing takes

#[cfg(feature = "server")]
#[allow(dead_code, reason = "for the command that plays them")]
mod command;
#[cfg(feature = "server")]
mod external;
#[cfg(feature = "server")]
#[allow(dead_code, reason = "for the command that plays them")]
mod http;
mod model;
mod script;
mod typing;

#[cfg(feature = "server")]
#[allow(unused_imports, reason = "for the command that plays them")]
pub(super) use self::{
    command::CommandParticipant,
    http::{HttpAgent, HttpParticipant, Poll},
};
pub use self::{
    model::{ModelParticipant, SimulatedTurn},
    script::{Script, ScriptStep},
    typing::Typing,
};
