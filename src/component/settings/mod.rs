//! Reads the settings of a component from its metadata.

mod access;
mod environment;
mod metadata;
pub(super) mod secrets;

pub(crate) use access::Access;
pub(super) use environment::variable;
pub(super) use metadata::{Metadata, ResolvedValue, SecretError};
