//! Participants of conversations.

// script  follows a script
// typing  adds the time that writing takes

mod script;
mod typing;

pub use self::{
    script::{Script, ScriptStep},
    typing::Typing,
};
