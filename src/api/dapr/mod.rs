//! Dapr's runtime API, over gRPC and HTTP.

pub(crate) mod grpc;
pub(crate) mod http;
mod metadata;
