//! YAML and JSON text with places.
//!
//! [`parse()`] returns a tree that knows the place of every value and leaves the meaning of unquoted
//! scalars open: Component YAML is read as daprd's YAML 1.1 parser reads it. [`from_file`]
//! deserializes a file of mynah's own formats.

mod node;
mod parse;
mod scalar;
mod text;

pub(crate) use node::{Node, Tree, Value};
pub(crate) use parse::{from_file, parse};
