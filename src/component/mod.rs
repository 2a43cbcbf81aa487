//! Reads component YAML: finds the components and their settings.
//!
//! [`load()`] reads the same folders and files as daprd, by daprd's rules, and reports all errors
//! together:
//!
//! ```text
//! load         loads all paths and checks that names are unique
//!   manifest/  reads documents, fields and metadata items as written
//!   filter     decides which components this sidecar serves
//!   check      checks a component and creates its ComponentSpec
//!     kinds/     defines the component types: one file and one table row for each
//!     settings/  resolves metadata values: templates, environment variables, secrets
//!   rules      loads the rules of components
//!     rules_in_use  reuses unchanged rules
//!   fallback   resolves references to the components that others fall back to
//! daprd        adds the components that only the daprd has that calls real models
//! instance     checks an instance of a pluggable component, which has no file
//! change       compares two loads
//! ```

mod change;
mod check;
mod context;
mod daprd;
mod fallback;
mod filter;
mod instance;
mod kinds;
mod load;
mod manifest;
mod report;
mod rules;
mod settings;
mod spec;
mod tools;
#[cfg(test)]
mod tests;

pub use change::Change;
pub(crate) use change::truncated_files;
pub(crate) use context::{ApiSecret, OnMissed, RealModels, Upstream, UpstreamApi};
pub use context::{Context, StandIn};
pub(crate) use instance::{CheckedInstance, instance, memory};
pub use kinds::built_in;
pub use load::{Loaded, load};
pub use spec::ComponentSpec;
pub use tools::ToolsSpec;
