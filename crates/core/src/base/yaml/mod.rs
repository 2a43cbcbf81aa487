//! Reads YAML and JSON, with the places of values.
//!
//! [`parse()`] reads component YAML. It returns a tree that has the place of every value and keeps
//! unquoted scalars as written, so that they can be interpreted as daprd's YAML 1.1 parser would.
//! [`parse_own`] does the same for mynah's own formats, whose keys are not interpreted.
//! [`TopLevel`] tells these formats apart. [`from_str`] deserializes a text in one of mynah's own formats.

mod deserialize;
mod from_json;
mod json;
mod node;
mod parse;
mod scalar;
mod text;
mod top_level;

pub use json::to_json;
pub use node::{Entry, Node, Tree, Value};
pub use parse::{from_str, parse, parse_own};
pub use top_level::TopLevel;
