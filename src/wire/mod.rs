//! Where transport and domain meet: the only place that sees both protobuf and [`chat`](crate::chat).
//!
//! `decode` turns Dapr's messages into a request, `encode` turns a response into Dapr's messages,
//! `ask` does both the other way round, for another sidecar. [`error`] holds the one table of gRPC
//! and HTTP codes, `refusal` reads those of other sidecars. [`json`] reads and writes proto JSON.

pub(crate) mod ask;
pub(crate) mod codec;
pub mod decode;
pub mod encode;
pub mod error;
pub mod json;
pub(crate) mod refusal;
mod structs;

/// Dapr's runtime API: generated from `proto/`, which documents every message.
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]
pub mod proto {
    tonic::include_proto!("dapr.proto.runtime.v1");
}

/// What gRPC errors carry: generated from `proto/`, too.
#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]
pub(crate) mod rpc {
    tonic::include_proto!("google.rpc");
}

/// The descriptors of [`proto`] and of all that it imports, encoded.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
