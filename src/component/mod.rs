//! Component YAML: which components there are, and how each is set up.
//!
//! [`load`] reads the folders that daprd reads, by daprd's rules, and finds every problem at once:
//!
//! ```text
//! load           every path; names are unique
//!   read         what the paths hold, in order
//!     files      what folders hold, and what files say
//!     documents  a file is split
//!     yaml       a document becomes a tree of nodes that know their places
//!     manifest   what is written: a component with its items, or something to pass over
//!   filter       which components are this sidecar's
//!   secrets      the secret stores among them
//!   spec         what is meant: checked, one `match` from type to provider
//!     metadata   the settings of a component; its values by way of value, scalar and template,
//!                or by reference to what stands elsewhere
//!     common     the settings that every type has
//!     echo       the settings of conversation.echo
//!     scripted   the settings of conversation.scripted
//!     stand_in   what answers for the types that mynah does not know
//!   fallback     which component answers in the place of another
//! report         what was found in a document: problems and notices
//! change         what differs between two loads
//! typed          files beside the components, which have a type of their own
//! ```

mod change;
mod common;
mod context;
mod documents;
mod echo;
mod fallback;
mod files;
mod filter;
mod item;
mod load;
mod manifest;
mod metadata;
mod node;
mod problem;
mod read;
mod reference;
mod report;
mod scalar;
mod scripted;
mod secrets;
mod spec;
mod stand_in;
mod template;
#[cfg(test)]
mod tests;
mod typed;
mod value;
mod yaml;

pub use change::Change;
pub(crate) use change::half_written;
pub use context::Context;
pub(crate) use files::{read_from, read_input};
pub use load::{Loaded, load};
pub use problem::{Level, Notice, Place, Problem};
pub use spec::{ComponentSpec, Fallback, KNOWN_TYPES, ProviderSpec};
pub use stand_in::StandIn;
pub(crate) use typed::typed;
