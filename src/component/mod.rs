//! Component YAML: which components there are, and how each is set up.
//!
//! [`load`] reads the folders that daprd reads, by daprd's rules, and finds every problem at once:
//!
//! ```text
//! load           every path; names are unique
//!   read         what the paths hold, in order
//!     documents  a file is split
//!     manifest   what is written: a component with its items, or something to pass over
//!   filter       which components are this sidecar's
//!   secrets      the secret stores among them
//!   spec         what is meant: checked, one `match` from type to provider
//!     metadata   the settings of a component; its values by way of template,
//!                or by reference to what stands elsewhere
//!     common     the settings that every type has
//!     echo       the settings of conversation.echo
//!     scripted   the settings of conversation.scripted
//!     stand_in   what answers for the types that mynah does not know
//!   fallback     which component answers in the place of another
//! report         the diagnostics of a document
//! change         what differs between two loads
//! ```

mod change;
mod common;
mod context;
mod documents;
mod echo;
mod fallback;
mod filter;
mod item;
mod load;
mod manifest;
mod metadata;
mod read;
mod reference;
mod report;
mod scripted;
mod secrets;
mod spec;
mod stand_in;
mod template;
#[cfg(test)]
mod tests;

pub use change::Change;
pub(crate) use change::truncated_files;
pub use context::Context;
pub use load::{Loaded, load};
pub use spec::{ComponentSpec, Fallback, KNOWN_TYPES, ProviderSpec};
pub use stand_in::StandIn;
