//! Secret stores, which resolve `secretKeyRef`.
//!
//! mynah supports the types that need no service outside this machine, and reads them like daprd. A
//! store is opened when the first of its secrets is read, so an unused store can be invalid without
//! causing an error.

mod file;
mod stores;

pub(crate) use stores::SecretStores;
pub(crate) use stores::is_supported;
