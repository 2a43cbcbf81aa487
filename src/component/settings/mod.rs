//! Reads the settings of a component from its metadata.

mod access;
mod environment;
mod metadata;
pub(super) mod secrets;
mod template;
mod value;

pub(crate) use access::Access;
pub(super) use environment::variable;
pub(super) use metadata::{Metadata, SecretError};
pub(super) use value::ResolvedValue;
