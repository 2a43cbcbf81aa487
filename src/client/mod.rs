//! A client of any Dapr sidecar, mynah or daprd, over gRPC.
//!
//! ```text
//! address   where the sidecar listens
//! call      the connection, and the calls over it
//! remote    a component of that sidecar as a Provider
//! ```

mod address;
mod call;
mod error;
mod remote;

pub(crate) use self::{
    address::Address,
    call::{Client, Pieces},
};
pub use self::{error::Error, remote::RemoteComponent};
