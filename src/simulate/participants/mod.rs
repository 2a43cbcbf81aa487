//! Participants of conversations.

// script    follows a script
// echo      repeats the latest message
// model     asks a model
// retrying  asks a model again if it fails
// http      answers HTTP requests
// command   is a program
// external  what these two get and answer
// typing    adds the time that writing takes

#[cfg(feature = "server")]
mod command;
#[cfg(feature = "server")]
mod echo;
#[cfg(feature = "server")]
mod external;
#[cfg(feature = "server")]
mod http;
mod model;
#[cfg(feature = "server")]
mod retrying;
mod script;
mod typing;

#[cfg(feature = "server")]
pub(super) use self::{
    command::CommandParticipant,
    echo::EchoParticipant,
    external::TURN_FIELDS,
    http::{HttpAgent, HttpParticipant, Poll},
    retrying::RetryingModel,
};
pub use self::{
    model::{ModelParticipant, SimulatedTurn},
    script::{Script, ScriptStep},
    typing::Typing,
};
