//! Participants of conversations.

// script    follows a script
// echo      repeats the latest message
// model     asks a model
// retrying  asks a model again if it fails
// http      answers HTTP requests
//   http_source  checks their keys
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
#[cfg(feature = "server")]
mod http_source;
mod model;
#[cfg(feature = "server")]
mod retrying;
mod script;
mod typing;

#[cfg(feature = "server")]
pub use self::{
    command::CommandParticipant,
    http::{HttpAgent, HttpParticipant},
    http_source::HttpAgentError,
};
#[cfg(feature = "server")]
pub(super) use self::{echo::EchoParticipant, retrying::RetryingModel};
pub use self::{
    model::{ModelParticipant, SimulatedTurn},
    script::{Script, ScriptStep},
    typing::Typing,
};
