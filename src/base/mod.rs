//! General types and functions: time, units, files, diagnostics, the terminal. Uses no other room.

pub(crate) mod blocking;
pub(crate) mod clock;
pub(crate) mod condition;
pub mod diagnostics;
pub mod drain;
pub(crate) mod duration;
pub(crate) mod ending;
pub(crate) mod endpoint;
pub mod environment;
pub(crate) mod files;
pub(crate) mod json_pointer;
pub(crate) mod json_schema;
pub(crate) mod mapping;
pub mod memory;
pub(crate) mod number;
pub(crate) mod panics;
pub(crate) mod pattern;
pub(crate) mod quantity;
pub(crate) mod schema_keys;
pub(crate) mod secrets;
pub mod terminal;
pub(crate) mod text;
pub(crate) mod text_or_mapping;
pub(crate) mod timeouts;
pub(crate) mod work;
pub(crate) mod yaml;
