//! Reads YAML and JSON, with the places of values.
//!
//! [`parse()`] reads component YAML. It returns a tree that has the place of every value and keeps
//! unquoted scalars as written, so that they can be interpreted as daprd's YAML 1.1 parser would.
//! [`parse_own`] does the same for mynah's own formats, whose keys are not interpreted.
//! [`parse_own_up_to`] reads larger ones.
//! [`TopLevel`] tells these formats apart. [`from_str`] deserializes a text in one of mynah's own formats.

mod deserialize;
mod document;
mod from_json;
mod json;
mod node;
mod parse;
mod scalar;
mod size;
mod text;
mod top_level;

pub use document::from_str;
pub use json::to_json;
pub use node::{Entry, Node, Tree, Value};
pub use parse::{parse, parse_own, parse_own_up_to};
pub use size::Size;
pub use top_level::TopLevel;
