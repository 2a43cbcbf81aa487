//! The only room that converts between Dapr's protobuf messages and [`chat`](crate::chat).
//!
//! ```text
//! conversation      unites both versions of the conversation API in one trait
//! decode            decodes Dapr's requests
//! encode            encodes responses as Dapr's
//! client_request    encodes a request for another sidecar
//! client_response   decodes a response from another sidecar
//! refusal           classifies errors from other sidecars
//! component         converts between the messages of components and of Dapr's runtime
//! error             defines errors and their gRPC and HTTP codes
//! headers           reads the context of a call
//! sent              keeps requests as the client has sent them
//! routes            lists the routes that mynah serves
//! parameter         reads the parameters of requests
//! metadata          adds components to the metadata of another sidecar
//! openai            OpenAI's API: chat completions, responses and embeddings
//! json              reads and writes proto JSON
//! codec             encodes and decodes gRPC messages
//! structs           converts between google.protobuf.Struct and JSON
//! protobuf          splits encoded messages into fields
//! ```

pub(crate) mod client_request;
pub(crate) mod client_response;
pub(crate) mod codec;
pub(crate) mod component;
pub mod conversation;
pub mod decode;
pub mod encode;
pub mod error;
pub(crate) mod headers;
pub mod json;
pub(crate) mod metadata;
pub mod openai;
mod protobuf;
pub(crate) mod refusal;
pub mod routes;
pub(crate) mod sent;
mod structs;
pub mod undecoded;

#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]
mod generated {
    /// Dapr's runtime API, generated from `proto/`, which documents every message.
    pub mod proto {
        tonic::include_proto!("dapr.proto.runtime.v1");
    }

    /// Dapr's pluggable components, generated from `proto/`.
    pub mod components {
        include!(concat!(env!("OUT_DIR"), "/components/dapr.proto.components.v1.rs"));
    }

    /// The details of gRPC errors, generated from `proto/`.
    pub mod rpc {
        tonic::include_proto!("google.rpc");
    }
}
pub(crate) use self::generated::rpc;
pub use self::generated::{components, proto};

/// The encoded descriptors of [`components`] and its imports.
pub(crate) const COMPONENT_DESCRIPTORS: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/component_descriptors.bin"));
/// The encoded descriptors of [`proto`] and its imports.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
