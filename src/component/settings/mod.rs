//! Metadata values: the settings of a component.

mod environment;
mod metadata;
pub(super) mod secrets;
mod template;
mod value;

pub(super) use metadata::Metadata;
