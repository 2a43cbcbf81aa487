//! Secret stores, which resolve `secretKeyRef`.
//!
//! mynah reads the types that need nothing but this machine, as daprd does. A store is opened when
//! the first of its secrets is read, so a broken store that is not used is not an error.

mod file;
mod store;
mod stores;

pub(in crate::component) use store::is_supported;
pub(in crate::component) use stores::SecretStores;
