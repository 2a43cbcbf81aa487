//! Converts between Dapr's protobuf messages and [`chat`](crate::chat). No other room does.
//!
//! ```text
//! conversation      both versions of the conversation API behind one trait
//! decode            Dapr's requests -> requests of mynah
//! encode            responses of mynah -> Dapr's responses
//! client_request    encodes a request to another sidecar
//! client_response   decodes a response of another sidecar
//! refusal           classifies the errors of other sidecars
//! error             errors with their gRPC and HTTP codes
//! headers           the context of a call
//! routes            what mynah serves of Dapr's API
//! json              reads and writes proto JSON
//! codec             the gRPC codec
//! structs           google.protobuf.Struct and JSON
//! ```

pub(crate) mod client_request;
pub(crate) mod client_response;
pub(crate) mod codec;
pub mod conversation;
pub mod decode;
pub mod encode;
pub mod error;
pub(crate) mod headers;
pub mod json;
pub(crate) mod refusal;
pub mod routes;
mod structs;

/// Dapr's runtime API, generated from `proto/`, which documents every message.
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

/// The details of gRPC errors, generated from `proto/`.
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

/// The encoded descriptors of [`proto`] and its imports.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
