//! Component YAML: which components there are, and how each is set up.
//!
//! [`load`] reads the folders that daprd reads, by daprd's rules, and finds every problem at once:
//!
//! ```text
//! load           every path; names are unique
//!   files        what folders hold, and what files say
//!   documents    a file is split
//!   yaml         a document becomes a tree of nodes that know their places
//!   manifest     what is written: a component, or something to pass over
//!   spec         what is meant: checked, one `match` from type to provider
//!     metadata   the settings of a component; its values by way of value, scalar and template
//!     common     the settings that every type has
//!     echo       the settings of conversation.echo
//! report         what was found in a document: problems and notices
//! ```

mod common;
mod documents;
mod echo;
mod files;
mod load;
mod manifest;
mod metadata;
mod node;
mod problem;
mod report;
mod scalar;
mod spec;
mod template;
#[cfg(test)]
mod tests;
mod value;
mod yaml;

pub use load::{Loaded, load};
pub use problem::{Level, Notice, Place, Problem};
pub use spec::{ComponentSpec, KNOWN_TYPES, ProviderSpec};
pub use template::Context;
