//! Component YAML: which components there are, and how each is configured.
//!
//! [`load()`] reads the folders and files that daprd reads, by daprd's rules, and finds all errors at
//! once:
//!
//! ```text
//! load         loads all paths; names are unique
//!   manifest/  reads what is written: documents, fields, metadata items
//!   filter     decides which components this sidecar serves
//!   check      checks a component and makes a ComponentSpec of it
//!     kinds/     one file and one table row for each type
//!     settings/  resolves metadata values: templates, environment variables, secrets
//!   fallback   resolves the components that others fall back to
//! change       compares two loads
//! ```

mod change;
mod check;
mod context;
mod fallback;
mod filter;
mod kinds;
mod load;
mod manifest;
mod report;
mod settings;
mod spec;
mod stand_in;
#[cfg(test)]
mod tests;

pub use change::Change;
pub(crate) use change::truncated_files;
pub use context::Context;
pub use kinds::built_in;
pub use load::{Loaded, load};
pub use spec::ComponentSpec;
pub use stand_in::StandIn;
